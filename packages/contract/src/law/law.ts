import type { AgentEvent, AgentEventType, EventOf } from "../agent-event.ts";

/** A part of a session that one event opens and another closes. */
export type LawScope = "session" | "pause" | "lead" | "message" | "turn" | "text" | "reasoning" | "tool" | "decision";

export interface LawScopeRule {
  /** The enclosing scope. It cannot close while this scope is open, unless this scope lapses. */
  readonly inside: LawScope | null;
  /** The event field that identifies the scope. Null if at most one can be open, which needs no key. */
  readonly key: "turn" | "call" | "decision" | null;
  /** At most one may be open, even if it has a key. */
  readonly single: boolean;
  /** Closes without an event of its own when the enclosing scope closes. */
  readonly lapses: boolean;
}

export const lawScopes: Readonly<Record<LawScope, LawScopeRule>> = {
  session: { inside: null, key: null, single: true, lapses: false },
  pause: { inside: "session", key: null, single: true, lapses: true },
  lead: { inside: "session", key: null, single: true, lapses: true },
  message: { inside: "session", key: "turn", single: false, lapses: false },
  turn: { inside: "session", key: "turn", single: true, lapses: false },
  text: { inside: "turn", key: null, single: true, lapses: false },
  reasoning: { inside: "turn", key: null, single: true, lapses: false },
  tool: { inside: "turn", key: "call", single: false, lapses: false },
  decision: { inside: "turn", key: "decision", single: false, lapses: false },
};

export interface EventRule {
  /** Allowed only while this scope is open. If scopes of this type have keys: the one with the event's key. */
  readonly within?: LawScope;
  /** Not allowed while one of these scopes is open. */
  readonly outside?: readonly LawScope[];
  readonly opens?: LawScope;
  readonly closes?: LawScope;
  /** Also closes this scope, if it is open. If scopes of this type have keys: the one with the event's key. */
  readonly lifts?: LawScope;
  /** Allowed at most once per `within` scope. */
  readonly once?: true;
  /** Allowed only with the number after that of the last part in the scope that it is within or closes. */
  readonly next?: true;
}

/** Position of a part in a text that has several. */
type PartPosition = "first part" | "next part" | "last part";

/**
 * Key of the law table: an event type. `lead.changed` has one key per value, `turn.started` one for turns of the agent's
 * own terminal, `file.changed` one for changes that Fairlead observed, and a text one per position of a part, because the
 * rules differ.
 */
export type LawKey =
  | Exclude<AgentEventType, "lead.changed">
  | `lead.changed ${EventOf<"lead.changed">["lead"]}`
  | "turn.started terminal"
  | "file.changed observed"
  | `${"text" | "reasoning"}.ended ${PartPosition}`;

/** The law: which event is allowed when. All other code about event order reads this table. */
export const law: Readonly<Record<LawKey, EventRule>> = {
  "session.started": { opens: "session" },
  "session.changed": { within: "session" },
  "session.paused": { within: "session", outside: ["turn", "lead"], opens: "pause" },
  "session.unpaused": { closes: "pause" },
  "session.resumed": { within: "session", outside: ["turn", "lead"], lifts: "pause" },
  "session.ended": { closes: "session" },
  "lead.changed human": { within: "session", outside: ["turn"], opens: "lead", lifts: "pause" },
  "lead.changed delegated": { within: "session", outside: ["turn", "lead"] },
  "lead.changed agent": { outside: ["turn"], closes: "lead" },
  "message.queued": { within: "session", opens: "message" },
  "message.returned": { closes: "message" },
  "turn.started": { within: "session", outside: ["pause", "lead"], opens: "turn", lifts: "message" },
  "turn.started terminal": { within: "lead", opens: "turn" },
  "turn.steered": { within: "turn" },
  "turn.ended": { closes: "turn" },
  "text.ended": { within: "turn", outside: ["text"] },
  "text.ended first part": { within: "turn", opens: "text" },
  "text.ended next part": { within: "text", next: true },
  "text.ended last part": { closes: "text", next: true },
  "reasoning.ended": { within: "turn", outside: ["reasoning"] },
  "reasoning.ended first part": { within: "turn", opens: "reasoning" },
  "reasoning.ended next part": { within: "reasoning", next: true },
  "reasoning.ended last part": { closes: "reasoning", next: true },
  "plan.updated": { within: "turn" },
  "context.injected": { within: "session" },
  "brief.updated": { within: "session" },
  "context.compacted": { within: "session" },
  "tool.requested": { within: "turn", opens: "tool" },
  "tool.started": { within: "tool", once: true },
  "tool.progressed": { within: "tool" },
  "tool.ended": { closes: "tool" },
  "progress.reported": { within: "turn" },
  "artifact.produced": { within: "turn" },
  "file.changed": { within: "turn" },
  "file.changed observed": { within: "session" },
  "decision.requested": { within: "turn", opens: "decision" },
  "decision.resolved": { closes: "decision" },
  "network.judged": { within: "session" },
  "usage.reported": { within: "session" },
  "quota.reported": { within: "session" },
  "status.reported": { within: "session" },
  "error.raised": { within: "session" },
  unrecognized: { within: "session" },
};

export function ruleOf(event: AgentEvent): EventRule {
  if (event.type === "lead.changed") return law[`lead.changed ${event.lead}`];
  if (event.type === "text.ended" || event.type === "reasoning.ended") return ruleOfText(event);
  if (event.type === "file.changed" && event.source === "observed") return law["file.changed observed"];
  return law[event.type === "turn.started" && event.origin === "terminal" ? "turn.started terminal" : event.type];
}

function ruleOfText({ type, part, last }: EventOf<"text.ended" | "reasoning.ended">): EventRule {
  if (last) return law[`${type} last part`];
  if (part === undefined) return law[type];
  return law[`${type} ${part === 1 ? "first" : "next"} part`];
}
