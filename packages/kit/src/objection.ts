import { isOpen, type ErrorCode, type Wish } from "@fairlead/contract";
import type { FoldState } from "./fold-state.ts";

/** What can be wished for while a person leads, or is about to. */
const alwaysHeard: ReadonlySet<Wish["type"]> = new Set(["end", "inject", "hand-back"]);

/** Why a wish cannot be granted now, or null. The same for every agent. */
export function objection(state: FoldState, wish: Wish): ErrorCode | null {
  const { ledger, aim, running, launching } = state;
  const taken = isOpen(ledger, "lead");
  if (ledger.over || aim === "end") return "session-ended";
  if ((taken || aim === "take-over") && !alwaysHeard.has(wish.type)) return "taken-over";
  switch (wish.type) {
    case "open":
    case "end":
    case "inject":
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
    case "take-over":
      return conversationOf(state) === null ? "no-conversation" : null;
    case "hand-back":
      return taken ? null : "not-taken-over";
    case "answer":
      return isOpen(ledger, "decision", wish.decision) ? null : "decision-not-open";
    default:
      return wish satisfies never;
  }
}

/** The conversation that the agent is in. One that is to be forked and has not been is still another session's. */
function conversationOf({ agentSessionId, opening }: FoldState): string | null {
  const { continues = null } = opening ?? {};
  return continues?.fork && continues.agentSessionId === agentSessionId ? null : agentSessionId;
}
