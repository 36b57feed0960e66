import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLog } from "@fairlead/journal";
import { runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

const bound = 250_000;
const events = 500_000;
const perFrame = 50;
const eventBytes = 525;
const rounds = 3;

export const replay: Claim = {
  id: "replay",
  says: "A journal is read back, checked, in another process, faster than any agent can write it.",
  bound: `≥ ${bound.toLocaleString("en")} events/s in frames of ${perFrame}`,
  async prove() {
    const folder = mkdtempSync(join(tmpdir(), "replay-"));
    try {
      const many = await replayed(join(folder, "many.db"), perFrame);
      const one = await replayed(join(folder, "one.db"), 1);
      return {
        measured:
          `${events.toLocaleString("en")} events of ${eventBytes} bytes, best of ${rounds}: in frames of ${perFrame} ` +
          `${said(many)}; in frames of 1 ${said(one)}`,
        holds: many.port >= bound,
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

function said({ port, floor }: Speeds): string {
  const rounded = (speed: number) => Math.round(speed).toLocaleString("en");
  return `${rounded(port)}/s (bare SELECT of the rows ${rounded(floor)}/s, ${(port / floor).toFixed(2)} of it)`;
}

async function replayed(file: string, count: number): Promise<Speeds> {
  await write(file, count);
  const speeds = { port: 0, floor: 0 };
  // In turns, so that a busy moment of the machine meets both.
  for (let round = 0; round < rounds; round++) {
    for (const way of ["floor", "port"] as const) {
      const { code, output } = await runQuietly("node", ["claims/replay-reader.ts", way, file, `${events}`]);
      if (code !== 0) throw new Error(output);
      speeds[way] = Math.max(speeds[way], Number(output));
    }
  }
  return speeds;
}

async function write(file: string, count: number): Promise<void> {
  await using journal = await openSqliteLog({ file });
  // Sessions of 25,000 events, written side by side, so that they lie interleaved as sessions do.
  const sessions = Array.from({ length: 20 }, (_, n) => `session ${n}`);
  await Promise.all(
    sessions.map(async (session) => {
      let { epoch, fence, last } = await journal.claim(session, "owner");
      for (; last < events / sessions.length; last += count) {
        const frame = Array.from({ length: count }, (_, n) => event(session, last + 1 + n));
        fence = await journal.append({ session, epoch, first: last + 1, events: frame, owner: "owner" }, fence);
      }
    }),
  );
}

/** An event as agents tell of their work, filled up to the size that was measured on real ones. */
function event(session: string, sequence: number): Uint8Array {
  const told = { session, sequence, type: "tool.ended", occurredAt: "2026-01-01T00:00:00.000Z", ok: true };
  const bare = JSON.stringify({ ...told, output: "" });
  return Buffer.from(JSON.stringify({ ...told, output: "x".repeat(eventBytes - bare.length) }));
}
