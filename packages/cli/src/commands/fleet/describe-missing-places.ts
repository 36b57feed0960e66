import type { HostState } from "./status/read-hosts.ts";

/** Describes why the sessions of a host have no other one to go to. Null if another host of its pool has a free place. */
export function describeMissingPlaces(hosts: readonly HostState[], host: string): string | null {
  const pool = hosts.find(({ id }) => id === host)?.pool;
  const others = hosts.filter((other) => other.id !== host && other.pool === pool && other.state === "ready");
  if (pool === undefined) return null;
  if (others.length === 0) return `The pool ${pool} has no other host that takes work.`;
  if (others.some(({ sessions, capacity }) => capacity === null || sessions < capacity)) return null;
  return `No other host of the pool ${pool} has a free place.`;
}
