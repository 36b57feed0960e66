import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLog } from "@fairlead/journal";
import { runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";

const bound = 250_000;
const events = 500_000;
const perBatch = 50;
const eventBytes = 525;
const rounds = 3;

export const replay: Claim = {
  id: "replay",
  statement: "Another process reads a journal, with checksums verified, faster than an agent can write it.",
  bound: `≥ ${bound.toLocaleString("en")} events/s in batches of ${perBatch}`,
  async prove() {
    const folder = mkdtempSync(join(tmpdir(), "replay-"));
    try {
      const manyPerBatch = await measureReplay(join(folder, "many.db"), perBatch);
      const onePerBatch = await measureReplay(join(folder, "one.db"), 1);
      return {
        measured:
          `${events.toLocaleString("en")} events of ${eventBytes} bytes, best of ${rounds}: in batches of ${perBatch} ` +
          `${describeSpeeds(manyPerBatch)}; in frames of 1 ${describeSpeeds(onePerBatch)}`,
        holds: manyPerBatch.port >= bound,
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Speeds {
  readonly port: number;
  readonly floor: number;
}

function describeSpeeds({ port, floor }: Speeds): string {
  const rounded = (speed: number) => Math.round(speed).toLocaleString("en");
  return `${rounded(port)}/s (bare SELECT of the rows ${rounded(floor)}/s, ${(port / floor).toFixed(2)} of it)`;
}

async function measureReplay(file: string, count: number): Promise<Speeds> {
  await writeJournal(file, count);
  const speeds = { port: 0, floor: 0 };
  // Alternating, so that load on the machine affects both.
  for (let round = 0; round < rounds; round++) {
    for (const readMethod of ["floor", "port"] as const) {
      const { code, output } = await runQuietly("node", [
        "claims/replay/replay-reader.ts",
        readMethod,
        file,
        `${events}`,
      ]);
      if (code !== 0) throw new Error(output);
      speeds[readMethod] = Math.max(speeds[readMethod], Number(output));
    }
  }
  return speeds;
}

async function writeJournal(file: string, count: number): Promise<void> {
  await using journal = await openSqliteLog({ file });
  // Sessions of 25,000 events, written concurrently, so that they are interleaved as in practice.
  const sessions = Array.from({ length: 20 }, (_, n) => `session ${n}`);
  await Promise.all(
    sessions.map(async (session) => {
      let { epoch, fence, last } = await journal.claim(session, "owner");
      for (; last < events / sessions.length; last += count) {
        const batchEvents = Array.from({ length: count }, (_, n) => createEvent(session, last + 1 + n));
        fence = await journal.append({ session, epoch, first: last + 1, events: batchEvents, owner: "owner" }, fence);
      }
    }),
  );
}

/** A typical event, padded to the size measured on real ones. */
function createEvent(session: string, sequence: number): Uint8Array {
  const fields = { session, sequence, type: "tool.ended", occurredAt: "2026-01-01T00:00:00.000Z", ok: true };
  const withoutOutput = JSON.stringify({ ...fields, output: "" });
  return Buffer.from(JSON.stringify({ ...fields, output: "x".repeat(eventBytes - withoutOutput.length) }));
}
