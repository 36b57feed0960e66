import type { AgentEvent, EventOf } from "../agent-event.ts";
import { lawScopes, type LawScope } from "./law.ts";
import { openScopes, type Ledger, type OpenScope } from "./ledger.ts";

const scopeKinds = Object.keys(lawScopes) as LawScope[];

/** Outcomes for scopes that close because the scope around them ended. */
export interface ClosingOutcomes {
  readonly turn: EventOf<"turn.ended">["outcome"];
  readonly tool: EventOf<"tool.ended">["reason"];
  /** Why queued messages are returned; null to keep them queued. */
  readonly message: EventOf<"message.returned">["reason"] | null;
}

/** Returns the events that close all scopes inside `scope`, innermost first. Does not close `scope` itself. */
export function closingEvents(ledger: Ledger, scope: LawScope, outcomes: ClosingOutcomes): AgentEvent[] {
  const kinds = scopeKinds.filter((kind) => lawScopes[kind].inside === scope && !lawScopes[kind].lapses);
  const closing = outcomes.message === null ? kinds.filter((kind) => kind !== "message") : kinds;
  const inside = closing.flatMap((kind) => openScopes(ledger, kind));
  return inside.flatMap((one) => [...closingEvents(ledger, one.scope, outcomes), closingEvent(one, outcomes)]);
}

function closingEvent(openScope: OpenScope, outcomes: ClosingOutcomes): AgentEvent {
  switch (openScope.scope) {
    case "tool":
      return {
        type: "tool.ended",
        call: openScope.key,
        name: openScope.name,
        ok: false,
        output: "",
        ...(outcomes.tool && { reason: outcomes.tool }),
      };
    case "decision":
      return { type: "decision.resolved", decision: openScope.key, outcome: "canceled", by: { kind: "runtime" } };
    case "text":
    case "reasoning":
      return {
        type: `${openScope.scope}.ended`,
        text: "",
        part: (openScope.part ?? 0) + 1,
        last: true,
        ...(openScope.name !== "" && { parent: openScope.name }),
      };
    case "turn":
      return { type: "turn.ended", turn: openScope.key, outcome: outcomes.turn };
    case "message":
      return {
        type: "message.returned",
        turn: openScope.key,
        text: openScope.name,
        reason: outcomes.message ?? "ended", // null was excluded
      };
    case "session":
    case "pause":
    case "lead":
      throw new TypeError(`A ${openScope.scope} has no closing event: it lapses with the scope around it.`);
    default:
      return openScope.scope satisfies never;
  }
}
