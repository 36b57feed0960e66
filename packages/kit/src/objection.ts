import { isOpen, type ErrorCode, type Wish } from "@fairlead/contract";
import type { FoldState } from "./fold-state.ts";

/** Why a wish cannot be granted now, or null. The same for every agent. */
export function objection({ ledger, aim, running, launching }: FoldState, wish: Wish): ErrorCode | null {
  if (ledger.over || aim === "end") return "session-ended";
  switch (wish.type) {
    case "open":
    case "end":
      return null;
    case "send":
    case "pause":
      return aim === "pause" ? "session-paused" : null;
    case "resume":
      // A process that is still there, or about to be, would not be alone any more.
      return aim === "pause" && isOpen(ledger, "pause") && !running && !launching ? null : "session-not-paused";
    case "interrupt":
    case "steer":
      return isOpen(ledger, "turn") ? null : "no-open-turn";
    case "answer":
      return isOpen(ledger, "decision", wish.decision) ? null : "decision-not-open";
    default:
      return wish satisfies never;
  }
}
