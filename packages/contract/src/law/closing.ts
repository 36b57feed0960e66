import type { AgentEvent, EventOf } from "../agent-event.ts";
import { scopes, type Scope } from "./law.ts";
import type { Ledger, Open } from "./ledger.ts";

/** What to say of things that are closed because something around them ended. */
export interface Closing {
  readonly turn: EventOf<"turn.ended">["outcome"];
  readonly tool: EventOf<"tool.ended">["reason"];
}

/** The events that lawfully close everything standing inside a scope, innermost first; not the scope itself. */
export function closingOf(ledger: Ledger, scope: Scope, closing: Closing): AgentEvent[] {
  const inside = ledger.open.filter((one) => scopes[one.scope].inside === scope && !scopes[one.scope].lapses);
  return inside.flatMap((one) => [...closingOf(ledger, one.scope, closing), closingEvent(one, closing)]);
}

function closingEvent(one: Open, closing: Closing): AgentEvent {
  switch (one.scope) {
    case "tool":
      return {
        type: "tool.ended",
        call: one.key,
        name: one.name,
        ok: false,
        output: "",
        ...(closing.tool && { reason: closing.tool }),
      };
    case "decision":
      return { type: "decision.resolved", decision: one.key, outcome: "canceled", by: "runtime" };
    case "turn":
      return { type: "turn.ended", turn: one.key, outcome: closing.turn };
    case "session":
    case "pause":
    case "lead":
      throw new TypeError(`A ${one.scope} is not closed with what is around it.`);
    default:
      return one.scope satisfies never;
  }
}
