/**
 * Follows ticking sessions, each with a client of its own, and measures how old their output is on arrival:
 * `node latency-reader.ts OPTIONS`. A line `BEGIN END` on its input asks for the ages of what was printed between these two
 * instants, and is answered with one list per session when all of it has arrived.
 */
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { parseLine } from "./printed-line.ts";

export interface LatencyReaderOptions {
  readonly socket: string;
  readonly sessions: readonly string[];
}

/** The ages of a session's output in milliseconds, and whether all of it arrived. */
export interface SessionAges {
  readonly ages: readonly number[];
  readonly isComplete: boolean;
}

/** How long output may take to arrive, in milliseconds. */
const arrivalTimeout = 60_000;

const { socket, sessions } = JSON.parse(process.argv[2] ?? "") as LatencyReaderOptions;
/** When the output of each session was printed, and when it arrived. */
const arrivals = new Map<string, { readonly printedAt: number; readonly age: number }[]>();

async function follow(session: string): Promise<void> {
  const list: { readonly printedAt: number; readonly age: number }[] = [];
  arrivals.set(session, list);
  const fairlead = new RemoteFairlead(nodeTransport({ socket }), { retryTimeoutMs: 300_000 });
  const { last } = await fairlead.session(session);
  for await (const one of fairlead.events(session, { after: last, follow: true })) {
    if (!("body" in one) || one.body.type !== "text.ended") continue;
    const { printedAt } = parseLine(one.body.text);
    list.push({ printedAt, age: performance.timeOrigin + performance.now() - printedAt });
  }
}

for (const session of sessions) {
  follow(session).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}
for await (const line of createInterface({ input: process.stdin })) {
  const [begin = 0, end = 0] = line.split(" ").map(Number);
  const deadline = performance.now() + arrivalTimeout;
  const isComplete = (session: string): boolean => (arrivals.get(session)?.at(-1)?.printedAt ?? 0) >= end;
  while (!sessions.every(isComplete) && performance.now() < deadline) await delay(20);
  const answer: SessionAges[] = sessions.map((session) => {
    const measured = (arrivals.get(session) ?? []).filter(({ printedAt }) => printedAt >= begin && printedAt < end);
    return { ages: measured.map(({ age }) => age), isComplete: isComplete(session) };
  });
  for (const list of arrivals.values()) list.splice(0, list.length - 1);
  console.log(JSON.stringify(answer));
}
