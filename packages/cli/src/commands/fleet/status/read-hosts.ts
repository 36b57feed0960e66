import type { Engine, HostInfo } from "@fairlead/engine";
import type { SessionRow } from "@fairlead/journal";

/** A host that counts as alive. */
export interface HostState {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly pool: string;
  readonly capacity: number | null;
  readonly version: string | null;
  /** `draining`: it takes no more work. `absent`: its process is stopped, and has announced that it comes back. */
  readonly state: "ready" | "draining" | "absent";
  /** The open sessions that the index says it drives. */
  readonly sessions: number;
}

/** Milliseconds without a further host after which all are known. */
const quietTime = 300;
const pageSize = 1_000;

/** Returns all hosts that count as alive, by their owner. */
export async function readAliveHosts({ hosts }: Pick<Engine, "hosts">): Promise<ReadonlyMap<string, HostInfo>> {
  const alive = new Map<string, HostInfo>();
  const quiet = new AbortController();
  // The first answer takes as long as the servers need.
  let timer = setTimeout(() => quiet.abort(), 5_000);
  for await (const { owner, host } of hosts.watch(quiet.signal)) {
    clearTimeout(timer);
    timer = setTimeout(() => quiet.abort(), quietTime);
    if (host === null) alive.delete(owner);
    else alive.set(owner, host);
  }
  clearTimeout(timer);
  return alive;
}

/** Yields the rows of all sessions that have not ended. */
export async function* readOpenRows({ index }: Pick<Engine, "index">): AsyncGenerator<SessionRow> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const options = { order: "session", limit: pageSize, ...(cursor !== undefined && { cursor }) } as const;
    const page = await index.page({ unfinished: true }, options);
    yield* page.rows;
    cursor = page.next;
  }
}

/** Returns all hosts that count as alive, with the number of sessions that each drives. */
export async function readHostStates(engine: Engine): Promise<HostState[]> {
  const { hostOfOwner } = await import("@fairlead/nats");
  const alive = await readAliveHosts(engine);
  const driven = new Map<string, number>();
  for await (const { owner, state } of readOpenRows(engine))
    if (state !== "paused" && state !== "damaged") driven.set(owner, (driven.get(owner) ?? 0) + 1);
  return toHostStates(alive, driven, hostOfOwner);
}

/** Combines hosts with the number of sessions that each drives, by name. */
export function toHostStates(
  alive: ReadonlyMap<string, HostInfo>,
  driven: ReadonlyMap<string, number>,
  idOf: (owner: string) => string | undefined,
): HostState[] {
  const states = [...alive].map(([owner, host]): HostState => {
    const { name, pool = "default", capacity = null, version = null, absent, draining } = host;
    const state = absent === true ? "absent" : draining === true ? "draining" : "ready";
    return { id: idOf(owner) ?? owner, owner, name, pool, capacity, version, state, sessions: driven.get(owner) ?? 0 };
  });
  return states.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}
