/**
 * Follows sessions, each as a client of its own, until their turns are over: `node readers.ts OPTIONS`. It says when all
 * are there, and at the end how old what the agents said was when it came.
 */
import { RemoteFairlead } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { quantile } from "../../bench/quantile.ts";

export interface ReadersOptions {
  readonly socket: string;
  readonly sessions: readonly string[];
  /** What was before is none of theirs. */
  readonly after?: number;
  /** Who tells when something was said: the keeper that heard it, or the agent, which says nothing but the time. */
  readonly clock: "keeper" | "agent";
}

export interface Read {
  /** How many times the agents have said. */
  readonly heard: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const { socket, sessions, after = 0, clock } = JSON.parse(process.argv[2] ?? "") as ReadersOptions;
const ages: number[] = [];
const age = (text: string, occurredAt: string): number =>
  performance.timeOrigin + performance.now() - (clock === "agent" ? Number(text) * 1000 : Date.parse(occurredAt));
let arrived = 0;

async function read(session: string): Promise<void> {
  const fairlead = new RemoteFairlead(nodeWire({ socket }));
  for await (const one of fairlead.events(session, { after, follow: true })) {
    if (!("body" in one)) continue;
    const isFirst = one.sequence === after + 1;
    if (isFirst && (arrived += 1) === sessions.length) console.log("ready");
    if (one.body.type === "text.ended") ages.push(age(one.body.text, one.occurredAt));
    if (one.body.type === "turn.ended" && !isFirst) return;
  }
}

await Promise.all(sessions.map(read));
const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => quantile(ages, share)) as [number, number, number];
console.log(JSON.stringify({ heard: ages.length, p50, p99, worst } satisfies Read));
