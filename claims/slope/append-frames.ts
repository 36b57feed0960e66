import type { Journal } from "@fairlead/journal";
import { setTimeout as delay } from "node:timers/promises";
import { StreamLayout } from "../../packages/nats/src/log/stream-layout.ts";

export const eventsPerFrame = 10;

/** A line as a search prints it. Most of it is like the others, as in the output of agents. */
const resultLine = (n: number): string =>
  `packages/file-${(n * 31) % 97}.ts:${n}: const value${n % 7} = compute(${(n * 7_919) % 997}, "${(n * 2_654_435_761) % 1e9}");`;

const textOf = (n: number): string =>
  JSON.stringify({
    sequence: n,
    type: "tool.called",
    tool: "shell",
    input: `grep -rn "term ${n * 7919}" packages | head -${n % 50}`,
    output: Array.from({ length: 4 }, (_, line) => resultLine(n * 4 + line)).join("\n"),
  });

/** Returns the events of a frame. */
export function createEvents(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, n) => Buffer.from(textOf(n)));
}

export interface AppendOptions {
  readonly namespace: string;
  readonly streams: number;
  /** Sessions per stream. Each has one append in flight. */
  readonly perStream: number;
  readonly seconds: number;
  /** Milliseconds between the beginnings of two appends of a session. Absent: without a pause. */
  readonly pace?: number;
  /** Tells the sessions of several runs apart. */
  readonly run: string;
  /** Default: 10. */
  readonly events?: number;
}

export interface AppendedFrames {
  readonly count: number;
  readonly milliseconds: readonly number[];
}

/** Appends frames to many sessions, evenly over the streams. */
export async function appendFrames(log: Journal, options: AppendOptions): Promise<AppendedFrames> {
  const { namespace, streams, perStream, seconds, pace, run, events: eventCount = eventsPerFrame } = options;
  const events = createEvents(eventCount);
  const sessions = chooseSessions(new StreamLayout(namespace, streams), perStream, run);
  const milliseconds: number[] = [];
  const claims = await Promise.all(sessions.map((session) => log.claim(session, "owner")));
  const end = performance.now() + seconds * 1000;
  const append = async (session: string, index: number): Promise<void> => {
    const claim = claims[index];
    if (claim === undefined) return;
    let { fence, last } = claim;
    let dueAt = performance.now() + (pace === undefined ? 0 : (pace * index) / sessions.length);
    for (;;) {
      if (pace !== undefined) await delay(Math.max(0, dueAt - performance.now()));
      if (performance.now() >= end) return;
      const start = performance.now();
      fence = await log.append({ session, epoch: claim.epoch, first: last + 1, events, owner: "owner" }, fence);
      milliseconds.push(performance.now() - start);
      last += events.length;
      dueAt += pace ?? 0;
    }
  };
  await Promise.all(sessions.map(append));
  return { count: milliseconds.length, milliseconds };
}

/** Returns names of sessions, the same number for each stream. */
function chooseSessions(layout: StreamLayout, perStream: number, run: string): string[] {
  const chosen = Array.from({ length: layout.streamCount }, (): string[] => []);
  for (let n = 0; chosen.some((names) => names.length < perStream); n++) {
    const session = `${run}-${n}`;
    const names = chosen[layout.partitionOf(session)];
    if (names !== undefined && names.length < perStream) names.push(session);
  }
  return chosen.flat();
}
