import type { SessionView } from "@fairlead/api";

/** What a session needs: a person, nothing because it works, or nothing at all. */
export type Need = "needs-you" | "working" | "idle" | "paused" | "ended";

export const needs: readonly Need[] = ["needs-you", "working", "idle", "paused", "ended"];

export const needLabels: Readonly<Record<Need, string>> = {
  "needs-you": "Needs you",
  working: "Working",
  idle: "Idle",
  paused: "Paused",
  ended: "Ended",
};

const needOfState: Readonly<Record<SessionView["state"], Need>> = {
  waiting: "needs-you",
  stuck: "needs-you",
  lost: "needs-you",
  damaged: "needs-you",
  "input-closed": "needs-you",
  working: "working",
  silent: "working",
  idle: "idle",
  paused: "paused",
  ended: "ended",
};

/** Returns what a session needs. A state of a newer service needs a person, who should look at it. */
export function needOf({ state }: Pick<SessionView, "state">): Need {
  return (needOfState as Readonly<Record<string, Need>>)[state] ?? "needs-you";
}

/** When a person was first needed: the oldest open request, else the start of the state. */
export function waitingSince({ waitingFor, since }: Pick<SessionView, "waitingFor" | "since">): string {
  return waitingFor.reduce((oldest, one) => (one.since < oldest ? one.since : oldest), waitingFor[0]?.since ?? since);
}
