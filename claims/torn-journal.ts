import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Claim } from "./claim.ts";
import { writeVictim } from "./torn-journal/victim.ts";
import { everyInjury } from "./torn-journal/injuries.ts";
import { addTallies, type Tally } from "./torn-journal/tally.ts";

const workers = 2;

export const tornJournal: Claim = {
  id: "torn-journal",
  says: "A torn or damaged journal gives exactly what stands before the damage, and says so.",
  bound:
    "cut at every byte, and every bit flipped, in the last three frames: 0 wrong; and an unchecked reader is wrong",
  async prove() {
    const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "torn-"));
    try {
      const began = performance.now();
      const victim = await writeVictim(join(folder, "victim.db"));
      const injuries = everyInjury(victim);
      const shares = Array.from({ length: workers }, (_, share) => injuries.filter((_, n) => n % workers === share));
      const tally = addTallies(
        await Promise.all(shares.map((share, n) => suffer(join(folder, `${n}.db`), victim, share))),
      );
      const seconds = Math.round((performance.now() - began) / 1000);
      for (const line of tally.wrong.slice(0, 20)) console.log(line);
      const count = (kind: string) => (tally.injuries[kind] ?? 0).toLocaleString("en");
      return {
        measured: [
          `${tally.wrong.length} wrong of ${injuries.length.toLocaleString("en")} in ${seconds} s.`,
          `The last three frames in the write-ahead log: cut at every byte ${count("log cut")},`,
          `every bit of it flipped ${count("log flip")},`,
          `some again without the -shm file ${count("log alone")};`,
          `in the database: every bit of their rows ${count("row flip")},`,
          `of their ids and a seeded one of every second byte elsewhere ${count("page flip")},`,
          `cut at every byte of their page ${count("page cut")}.`,
          `Unchecked: ${tally.silent} times wrong or short without a word`,
        ].join(" "),
        holds: tally.wrong.length === 0 && injuries.length > 300_000 && tally.silent > 500,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function suffer(file: string, victim: unknown, injuries: unknown): Promise<Tally> {
  const worker = new Worker(new URL("torn-journal/main.ts", import.meta.url), {
    workerData: { file, victim, injuries },
  });
  return new Promise((resolve, reject) => {
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}
