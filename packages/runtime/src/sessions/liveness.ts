import { isOpen } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";

/**
 * The state of a running session, derived from its records only. `working`: a turn is open and the agent produced output
 * recently. `waiting`: for a person's decision. `silent`: a turn is open and the agent produced no output for a while.
 * `stuck`: the agent produces output, but none of it becomes an event. `input-closed`: the agent runs, but has closed its
 * standard input. `idle`: no turn is open.
 */
export type Liveness = "working" | "waiting" | "silent" | "stuck" | "input-closed" | "idle";

/** Milliseconds without output after which a session is silent. */
const silentAfter = 60_000;
/** Milliseconds without an event after which a session is stuck. */
const stuckAfter = 300_000;

/** Computes the liveness of a session at a time in milliseconds since 1970. */
export function livenessOf(state: SessionState, now: number): Liveness {
  const { ledger, stdinClosed } = state;
  // Checked before `waiting`: the answer to a decision would not reach the agent.
  if (stdinClosed) return "input-closed";
  if (isOpen(ledger, "decision")) return "waiting";
  if (!isOpen(ledger, "turn")) return "idle";
  const { outputSince, eventSince } = quietTimesOf(state);
  if (now - outputSince > silentAfter) return "silent";
  return now - eventSince > stuckAfter ? "stuck" : "working";
}

/**
 * Returns since when the agent has written no output, and since when none of it became an event. Both count at the
 * earliest from the time at which the agent was expected to write: the time before a turn is not silence.
 */
export function quietTimesOf({ awaitingOutputSince, lastOutputAt, lastEventAt }: SessionState): {
  readonly outputSince: number;
  readonly eventSince: number;
} {
  const since = awaitingOutputSince ?? 0;
  return { outputSince: Math.max(since, lastOutputAt ?? 0), eventSince: Math.max(since, lastEventAt ?? 0) };
}
