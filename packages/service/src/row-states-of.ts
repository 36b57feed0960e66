import type { SessionView } from "@fairlead/api";
import type { SessionSummary } from "@fairlead/runtime";

type RowState = SessionSummary["state"];

const openStates: readonly RowState[] = ["idle", "working", "waiting"];

/**
 * The states that rows of the index can have whose views are in a state. The index has what follows from the events. A view
 * adds what this process observes now.
 */
const rowStates: Readonly<Record<SessionView["state"], readonly RowState[]>> = {
  idle: openStates,
  working: openStates,
  waiting: openStates,
  silent: openStates,
  stuck: openStates,
  "input-closed": openStates,
  lost: openStates,
  paused: ["paused"],
  ended: ["ended"],
  // A session that this process failed to drive is damaged only in its view.
  damaged: ["damaged", "paused", ...openStates],
};

/** Returns the states of all rows whose views can be in one of these states. */
export function rowStatesOf(states: readonly SessionView["state"][]): RowState[] {
  return [...new Set(states.flatMap((state) => rowStates[state]))];
}
