/**
 * Follows sessions at a gateway, each with a client of its own: `node followers.ts OPTIONS`. It prints a line when all are
 * connected, and then one for each turn that all sessions have ended.
 */
import { createHash } from "node:crypto";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport, type ServiceUrl } from "@fairlead/client/node";

export interface FollowersOptions {
  readonly service: ServiceUrl;
  readonly sessions: readonly string[];
  readonly turns: number;
}

/** What the follower of one session has received. */
export interface FollowedTurn {
  readonly session: string;
  /** The milliseconds from the agent to the follower, by tick. Only stored events count. */
  readonly ages: readonly number[];
  /** The last event until now, and a digest of all. */
  readonly last: number;
  readonly digest: string;
}

const { service, sessions, turns } = JSON.parse(process.argv[2] ?? "") as FollowersOptions;
const done = Array.from({ length: turns }, () => [] as FollowedTurn[]);
let readyCount = 0;

async function follow(session: string): Promise<void> {
  const fairlead = new RemoteFairlead(nodeTransport(service));
  const hash = createHash("sha256");
  let turn = 0;
  let ages: number[] = [];
  for await (const one of fairlead.events(session, { follow: true })) {
    const now = performance.timeOrigin + performance.now();
    if (!("body" in one)) continue;
    hash.update(`${JSON.stringify(one)}\n`);
    if (one.sequence === 1 && (readyCount += 1) === sessions.length) console.log("ready");
    if (one.body.type === "text.ended") ages.push(now - Number(one.body.text) * 1000);
    if (one.body.type !== "turn.ended") continue;
    done[turn]?.push({ session, ages, last: one.sequence, digest: hash.copy().digest("hex") });
    if (done[turn]?.length === sessions.length) console.log(JSON.stringify(done[turn]));
    turn += 1;
    if (turn === turns) return;
    ages = [];
  }
}

await Promise.all(sessions.map(follow));
