import { setTimeout as delay } from "node:timers/promises";
import type { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";

export const faultCounts = {
  "leader killed": 6,
  "all killed": 4,
  "leader paused": 4,
  "leader cut off from all": 3,
  "leader cut off from its peers": 3,
} as const;
export type Fault = keyof typeof faultCounts;

/** The faults of a run in the order of the seed. */
export function shuffleFaults(random: SeededRandom): Fault[] {
  const faults = (Object.keys(faultCounts) as Fault[]).flatMap((fault) =>
    Array.from({ length: faultCounts[fault] }, () => fault),
  );
  return faults
    .map((fault) => ({ fault, place: random.nextBelow(2 ** 32) }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ fault }) => fault);
}

export interface FaultTarget {
  readonly cluster: NatsCluster;
  /** The stream whose leader gets the fault. */
  readonly stream: string;
  /** Waits until every session has appended again; without those that a node alone serves, if one is given. */
  readonly advance: (exceptNode?: number) => Promise<void>;
}

/** A server that does not answer for this long is no longer the leader of anything. */
const shortestFault = 6000;

/** Injects a fault, waits until the sessions continue, and ends it. Returns the node that had it, or null for all. */
export async function injectFault(fault: Fault, { cluster, stream, advance }: FaultTarget): Promise<number | null> {
  if (fault === "all killed") {
    await cluster.killAll();
    for (const node of cluster.servers.keys()) cluster.restart(node);
    await cluster.waitUntilReady();
    return null;
  }
  const leader = await cluster.findLeader(stream);
  if (fault === "leader killed") {
    await cluster.kill(leader);
    await advance();
    cluster.restart(leader);
  } else if (fault === "leader paused") {
    cluster.pause(leader);
    await Promise.all([delay(shortestFault), advance()]);
    cluster.resume(leader);
  } else {
    const isFromAll = fault === "leader cut off from all";
    await cluster.partition(leader, isFromAll ? "all" : "peers");
    // Clients of a node that is cut off only from its peers stay connected to it, and wait until the cut ends.
    await Promise.all([delay(shortestFault), advance(isFromAll ? undefined : leader)]);
    await cluster.heal(leader);
  }
  await cluster.waitUntilReady();
  return leader;
}
