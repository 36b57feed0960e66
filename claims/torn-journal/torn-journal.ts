import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Claim } from "../../measure/claim.ts";
import { writeSampleJournal } from "./sample-journal.ts";
import { listDamage } from "./journal-damage.ts";
import { addTallies, type DamageTally } from "./damage-tally.ts";

const workers = 2;

export const tornJournal: Claim = {
  id: "torn-journal",
  statement: "A torn or damaged journal returns exactly the events before the damage and reports the damage.",
  bound:
    "truncated at every byte and every bit flipped in the last three batches: 0 wrong; control: an unchecked reader is wrong",
  async prove() {
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "torn-"));
    try {
      const startedAt = performance.now();
      const sample = await writeSampleJournal(join(folder, "victim.db"));
      const damages = listDamage(sample);
      const shares = Array.from({ length: workers }, (_, share) => damages.filter((_, n) => n % workers === share));
      const tally = addTallies(
        await Promise.all(shares.map((share, n) => runWorker(join(folder, `${n}.db`), sample, share))),
      );
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      for (const line of tally.wrong.slice(0, 20)) console.log(line);
      const count = (kind: string) => (tally.damageCounts[kind] ?? 0).toLocaleString("en");
      return {
        measured: [
          `${tally.wrong.length} wrong of ${damages.length.toLocaleString("en")} in ${seconds} s.`,
          `The last three frames in the write-ahead log: cut at every byte ${count("log cut")},`,
          `every bit of it flipped ${count("log flip")},`,
          `some again without the -shm file ${count("log alone")};`,
          `in the database: every bit of their rows ${count("row flip")},`,
          `of their ids and a seeded one of every second byte elsewhere ${count("page flip")},`,
          `cut at every byte of their page ${count("page cut")}.`,
          `Unchecked: ${tally.silentErrors} times wrong or short without a word`,
        ].join(" "),
        holds: tally.wrong.length === 0 && damages.length > 300_000 && tally.silentErrors > 500,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function runWorker(file: string, sample: unknown, damages: unknown): Promise<DamageTally> {
  const worker = new Worker(new URL("worker.ts", import.meta.url), {
    workerData: { file, victim: sample, injuries: damages },
  });
  return new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}
