import type { DecisionView } from "@fairlead/api";
import { inboxKey } from "./inbox/inbox-list.ts";

/** The requests that were open in an overview before, by their keys. Null before the first complete overview. */
export type KnownWaits = ReadonlySet<string> | null;

export interface Notices {
  readonly known: KnownWaits;
  /** Requests that began to wait since the last time. */
  readonly fresh: readonly DecisionView[];
}

/**
 * Finds requests that began to wait. Those of the first overview did not begin now. A request that left and returned, as
 * after a lost connection, is the same request and gives one notice.
 */
export function findNotices(known: KnownWaits, waiting: readonly DecisionView[]): Notices {
  const keys = waiting.map(inboxKey);
  if (known === null) return { known: new Set(keys), fresh: [] };
  const fresh = waiting.filter((_, at) => !known.has(keys[at] ?? ""));
  return fresh.length === 0 ? { known, fresh } : { known: new Set([...known, ...keys]), fresh };
}

/** The title of the page: how many wait for a person. */
export function formatTitle(waiting: number): string {
  return waiting === 0 ? "Fairlead" : `(${waiting}) Fairlead`;
}
