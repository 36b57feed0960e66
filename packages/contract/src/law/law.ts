import type { AgentEvent, AgentEventType, EventOf } from "../agent-event.ts";

/** Stretches of a session that one event opens and another closes. */
export type Scope = "session" | "pause" | "lead" | "turn" | "tool" | "decision";

export interface ScopeRule {
  /** The scope it stands in: that one cannot be closed while this one is open. */
  readonly inside: Scope | null;
  /** The field by which its events name it. Without one there is at most one at a time, and it needs no name. */
  readonly key: "turn" | "call" | "decision" | null;
  /** At most one may be open, even though it has a name. */
  readonly single: boolean;
  /** It ends without an event of its own when the scope around it is closed. */
  readonly lapses: boolean;
}

export const scopes: Readonly<Record<Scope, ScopeRule>> = {
  session: { inside: null, key: null, single: true, lapses: false },
  pause: { inside: "session", key: null, single: true, lapses: true },
  lead: { inside: "session", key: null, single: true, lapses: true },
  turn: { inside: "session", key: "turn", single: true, lapses: false },
  tool: { inside: "turn", key: "call", single: false, lapses: false },
  decision: { inside: "turn", key: "decision", single: false, lapses: false },
};

export interface EventRule {
  /** It may only come while this is open; where the scope has a name, while the one it names is open. */
  readonly within?: Scope;
  /** It may not come while any of these is open. */
  readonly outside?: readonly Scope[];
  readonly opens?: Scope;
  readonly closes?: Scope;
  /** Closes this too, if it is open. */
  readonly lifts?: Scope;
  /** It may come at most once while the scope it stands within is open. */
  readonly once?: true;
}

/** What the law speaks of: types of events, of which one is two things. */
export type LawKey = Exclude<AgentEventType, "lead.changed"> | `lead.changed ${EventOf<"lead.changed">["lead"]}`;

/** The law of order: which event may come when. Everything else about order follows from this table. */
export const law: Readonly<Record<LawKey, EventRule>> = {
  "session.started": { opens: "session" },
  "session.changed": { within: "session" },
  "session.paused": { within: "session", outside: ["turn", "lead"], opens: "pause" },
  "session.resumed": { within: "session", outside: ["turn", "lead"], lifts: "pause" },
  "session.ended": { closes: "session" },
  "lead.changed human": { within: "session", outside: ["turn"], opens: "lead", lifts: "pause" },
  "lead.changed agent": { closes: "lead" },
  "turn.started": { within: "session", outside: ["pause", "lead"], opens: "turn" },
  "turn.steered": { within: "turn" },
  "turn.ended": { closes: "turn" },
  "text.ended": { within: "turn" },
  "reasoning.ended": { within: "turn" },
  "plan.updated": { within: "turn" },
  "context.injected": { within: "session" },
  "context.compacted": { within: "session" },
  "tool.requested": { within: "turn", opens: "tool" },
  "tool.started": { within: "tool", once: true },
  "tool.progressed": { within: "tool" },
  "tool.ended": { closes: "tool" },
  "file.changed": { within: "turn" },
  "decision.requested": { within: "turn", opens: "decision" },
  "decision.resolved": { closes: "decision" },
  "usage.reported": { within: "session" },
  "status.reported": { within: "session" },
  "error.raised": { within: "session" },
  unrecognized: { within: "session" },
};

export function ruleOf(event: AgentEvent): EventRule {
  return law[event.type === "lead.changed" ? (`lead.changed ${event.lead}` as const) : event.type];
}
