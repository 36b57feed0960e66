import type { SessionView } from "../views/session.ts";

/**
 * Formats the state of a session for people: why it ended, whether a person leads it, how its last turn ended, and which
 * messages wait: `idle (failed)`.
 */
export function formatSessionState(view: SessionView): string {
  const { state, reason, lead, lastOutcome, queued, pauseReason, pausedUntil, nearLimits } = view;
  if (state === "ended") return reason === null ? state : `ended (${reason})`;
  if (lead === "human") return "taken over";
  // A daemon of an older version reports no outcome.
  const isUnfinished = (state === "idle" || state === "paused") && (lastOutcome ?? "completed") !== "completed";
  const notes = [
    ...(pauseReason === "budget"
      ? ["limit reached"]
      : pauseReason === "quota"
        ? [pausedUntil == null ? "quota used up" : `quota until ${pausedUntil.slice(0, 16)}Z`]
        : isUnfinished
          ? [lastOutcome]
          : []),
    // A daemon of an older version reports none.
    ...((nearLimits ?? []).length > 0 ? ["near limit"] : []),
    // A pause keeps messages, which start with the next resume or message. In an idle session they wait for the agent's start.
    ...((state === "paused" || state === "idle") && queued > 0 ? [`${queued} queued`] : []),
  ];
  return notes.length === 0 ? state : `${state} (${notes.join(", ")})`;
}
