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

const needsByState: Readonly<Record<SessionView["state"], Need>> = {
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

/** Returns what sessions in a state need by default. A state of a newer service needs a person, who should look at it. */
export function needOfState(state: SessionView["state"]): Need {
  return (needsByState as Readonly<Record<string, Need>>)[state] ?? "needs-you";
}

/**
 * Returns what a session needs. One that rests after a turn that failed or met a limit needs a person, as does one of the
 * `unattended` ones.
 */
export function needOf(
  { session, state, lastOutcome }: Pick<SessionView, "session" | "state" | "lastOutcome">,
  unattended: ReadonlySet<string> = new Set(),
): Need {
  const isResting = state === "idle" || state === "paused";
  const isUnsolved = isResting && (lastOutcome === "failed" || lastOutcome === "limited");
  return isUnsolved || unattended.has(session) ? "needs-you" : needOfState(state);
}

type SessionEnd = Pick<SessionView, "session" | "state" | "reason" | "since" | "continues">;

/** Whether a session ended, and neither a person nor its agent meant it to. */
export function isUnwantedEnd({ state, reason }: Pick<SessionView, "state" | "reason">): boolean {
  return state === "ended" && (reason === "crashed" || reason === "failed" || reason === "lost");
}

/** So long, in milliseconds, a failed end needs a person, as in `fairlead status`. */
const day = 24 * 60 * 60 * 1000;

/**
 * Finds the sessions that crashed or failed in the last day and that no other session continues. An end with the reason
 * `lost` is left out: it may be that of a session that a person stopped by force.
 */
export function findUnattended(sessions: Iterable<SessionEnd>, now = Date.now()): ReadonlySet<string> {
  const all = [...sessions];
  const continued = new Set(all.map(({ continues }) => continues));
  const found = all.filter(
    (view) =>
      isUnwantedEnd(view) &&
      view.reason !== "lost" &&
      now - Date.parse(view.since) < day &&
      !continued.has(view.session),
  );
  return new Set(found.map(({ session }) => session));
}

/** When a person was first needed: the oldest open request, else the start of the state. */
export function waitingSince({ waitingFor, since }: Pick<SessionView, "waitingFor" | "since">): string {
  return waitingFor.reduce((oldest, one) => (one.since < oldest ? one.since : oldest), waitingFor[0]?.since ?? since);
}
