/**
 * Follows sessions, each with its own client, until their turns are over: `node readers.ts OPTIONS`. It reports when all are
 * connected, and at the end the age of the agents' output on arrival.
 */
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { quantile } from "../../measure/quantile.ts";

export interface ReadersOptions {
  readonly socket: string;
  readonly sessions: readonly string[];
  /** Earlier events are skipped. */
  readonly after?: number;
  /** The source of the time of an event: the keeper's record, or the agent, whose output is the time. */
  readonly clock: "keeper" | "agent";
}

export interface ReadResult {
  /** The number of times that the agents have printed. */
  readonly received: number;
  /** In milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

const { socket, sessions, after = 0, clock } = JSON.parse(process.argv[2] ?? "") as ReadersOptions;
const ages: number[] = [];
const measureAge = (text: string, occurredAt: string): number =>
  performance.timeOrigin + performance.now() - (clock === "agent" ? Number(text) * 1000 : Date.parse(occurredAt));
let readyCount = 0;

async function read(session: string): Promise<void> {
  const fairlead = new RemoteFairlead(nodeTransport({ socket }));
  for await (const one of fairlead.events(session, { after, follow: true })) {
    if (!("body" in one)) continue;
    const isFirst = one.sequence === after + 1;
    if (isFirst && (readyCount += 1) === sessions.length) console.log("ready");
    if (one.body.type === "text.ended") ages.push(measureAge(one.body.text, one.occurredAt));
    if (one.body.type === "turn.ended" && !isFirst) return;
  }
}

await Promise.all(sessions.map(read));
const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => quantile(ages, share)) as [number, number, number];
console.log(JSON.stringify({ received: ages.length, p50, p99, worst } satisfies ReadResult));
