import type { SessionView } from "@fairlead/api";
import { findUnattended, needOf, needOfState, needs, waitingSince, type Need } from "./needs.ts";
import type { Overview } from "../overview.ts";

export interface SessionCounts {
  readonly all: number;
  readonly byNeed: Readonly<Record<Need, number>>;
  /** When the longest wait began; null if no session waits. */
  readonly longestWait: string | null;
  /** How many ended sessions are not in the overview, which has only the newest of them. */
  readonly olderEnded: number;
}

/** Counts sessions by what they need. The service counts also those that the overview leaves out. */
export function countSessions(
  { counts, sessions }: Pick<Overview, "counts" | "sessions">,
  now = Date.now(),
): SessionCounts {
  const byNeed = Object.fromEntries(needs.map((need) => [need, 0])) as Record<Need, number>;
  for (const [state, count] of Object.entries(counts)) byNeed[needOfState(state as SessionView["state"])] += count;
  const unattended = findUnattended(sessions.values(), now);
  let longestWait: string | null = null;
  let knownEnded = 0;
  for (const view of sessions.values()) {
    if (view.state === "ended") knownEnded += 1;
    // The service counts by state, and some sessions need more than others in the same state.
    byNeed[needOfState(view.state)] -= 1;
    byNeed[needOf(view, unattended)] += 1;
    if (view.waitingFor.length === 0) continue;
    const since = waitingSince(view);
    if (longestWait === null || since < longestWait) longestWait = since;
  }
  const all = needs.reduce((sum, need) => sum + byNeed[need], 0);
  return { all, byNeed, longestWait, olderEnded: Math.max(0, (counts.ended ?? 0) - knownEnded) };
}
