import type { Engine } from "@fairlead/engine";
import type { FleetSource } from "@fairlead/nats";
import type { FleetState, WaitingDecision } from "./fleet-state.ts";
import { readAliveHosts, readOpenRows, toHostStates } from "./read-hosts.ts";

/** States in which no host must drive a session. */
const settledStates: ReadonlySet<string> = new Set(["paused", "ended", "damaged"]);

/** Reads the state of a fleet from its servers and its index. */
export async function readFleetState(source: FleetSource, engine: Engine): Promise<FleetState> {
  const [{ hostOfOwner, readStorageState }, { SessionProjection }] = await Promise.all([
    import("@fairlead/nats"),
    import("@fairlead/runtime"),
  ]);
  const [storage, alive] = await Promise.all([readStorageState(source), readAliveHosts(engine)]);
  const driven = new Map<string, number>();
  const sessions: Record<string, number> = {};
  const lostSessions: string[] = [];
  let oldestDecision: WaitingDecision | null = null;
  for await (const row of readOpenRows(engine)) {
    const { session, name, owner, state } = row;
    const isLost = !settledStates.has(state) && !alive.has(owner);
    if (isLost) lostSessions.push(session);
    else if (!settledStates.has(state)) driven.set(owner, (driven.get(owner) ?? 0) + 1);
    const shown = isLost ? "lost" : state;
    sessions[shown] = (sessions[shown] ?? 0) + 1;
    if (state !== "waiting") continue;
    for (const { since } of SessionProjection.fromRow(row).summary?.waitingFor ?? [])
      if (oldestDecision === null || since < oldestDecision.since) oldestDecision = { session, name, since };
  }
  const hosts = toHostStates(alive, driven, hostOfOwner);
  return { namespace: source.fleet.namespace, storage, hosts, sessions, oldestDecision, lostSessions };
}
