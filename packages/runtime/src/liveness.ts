import { isOpen } from "@fairlead/contract";
import type { FoldState } from "@fairlead/kit";

/**
 * What a running session is doing, by evidence alone. `working`: a turn is open and the agent was heard lately.
 * `waiting`: for a person. `silent`: a turn is open and nothing at all was heard for a while. `stuck`: the agent is
 * heard, but nothing that it says means anything any more. `input-closed`: it lives, but has closed its ears. `idle`: no turn.
 */
export type Liveness = "working" | "waiting" | "silent" | "stuck" | "input-closed" | "idle";

/** How long without a sound before we no longer say that it works. */
const silence = 60_000;
/** How long without anything that means something. */
const standstill = 300_000;

export function livenessOf({ ledger, stdinClosed, heardAt, toldAt }: FoldState, now: number): Liveness {
  // Before all else: an answer would not arrive either.
  if (stdinClosed) return "input-closed";
  if (isOpen(ledger, "decision")) return "waiting";
  if (!isOpen(ledger, "turn")) return "idle";
  if (now - (heardAt ?? 0) > silence) return "silent";
  return now - (toldAt ?? 0) > standstill ? "stuck" : "working";
}
