import type { AgentEvent, EventOf } from "../agent-event.ts";
import { emptyKeyedMap, keyedMap, type KeyedMap } from "../json/keyed-map.ts";
import { ruleOf, lawScopes, type LawScope } from "./law.ts";

const scopeKinds = Object.keys(lawScopes) as LawScope[];

/** A scope that is open. */
export interface OpenScope {
  readonly scope: LawScope;
  readonly key: string;
  /** The tool's name, the message's text or the text's parent, from the event that opened it. The closing event repeats it. */
  readonly name: string;
  /** Types of `once` events that occurred in it. */
  readonly marks: readonly string[];
  /** The event that opened a decision: what was shown. Missing in ledgers that older versions stored. */
  readonly request?: EventOf<"decision.requested">;
  /** The number of the last part of a text that ends in parts. */
  readonly part?: number;
  /** The call of the sub-agent that requested a call. */
  readonly parent?: string;
  /** Set on a call once a decision about it was allowed. */
  readonly allowed?: true;
}

/**
 * The open scopes after a sequence of events. Plain JSON; the only state that the law needs. A scope of which many may be
 * open is in a map of its own, so that an event costs the same however many are open.
 */
export interface Ledger {
  readonly over: boolean;
  /** The open scopes of which at most one can be open. */
  readonly open: readonly OpenScope[];
  /** The open calls of tools, by call. */
  readonly tools: KeyedMap<OpenScope>;
  /** The open decisions, by decision. */
  readonly decisions: KeyedMap<OpenScope>;
  /** The queued messages, by turn. */
  readonly messages: KeyedMap<OpenScope>;
}

export const emptyLedger: Ledger = {
  over: false,
  open: [],
  tools: emptyKeyedMap,
  decisions: emptyKeyedMap,
  messages: emptyKeyedMap,
};

/** Returns the key of the open turn, or null. */
export function openTurn(ledger: Ledger): string | null {
  return ledger.open.find((one) => one.scope === "turn")?.key ?? null;
}

/** Returns what enforces a call that starts now: `gated` if a decision about it was allowed before, else `observed`. */
export function enforcementOf(ledger: Ledger, call: string): "gated" | "observed" {
  return keyedMap.get(ledger.tools, call)?.allowed ? "gated" : "observed";
}

/** Returns the request of an open decision, or undefined. */
export function openRequest(ledger: Ledger, decision: string): EventOf<"decision.requested"> | undefined {
  return keyedMap.get(ledger.decisions, decision)?.request;
}

export function isOpen(ledger: Ledger, scope: LawScope, key?: string): boolean {
  const many = manyOf(ledger, scope);
  if (many !== null) return key === undefined ? many.size > 0 : keyedMap.has(many, key);
  return ledger.open.some((one) => one.scope === scope && (key === undefined || one.key === key));
}

/** The open scopes of one kind, in the order in which they were opened. */
export function openScopes(ledger: Ledger, scope: LawScope): readonly OpenScope[] {
  const many = manyOf(ledger, scope);
  return many === null ? ledger.open.filter((one) => one.scope === scope) : keyedMap.values(many);
}

/** Completes a ledger that an older version stored: it had all open scopes in one list. */
export function upgradeLedger(stored: Pick<Ledger, "over" | "open"> & Partial<Ledger>): Ledger {
  const { tools, decisions, messages } = stored;
  if (tools !== undefined && decisions !== undefined)
    return messages === undefined ? { ...emptyLedger, ...stored } : (stored as Ledger);
  let ledger: Ledger = { ...emptyLedger, over: stored.over };
  for (const scope of stored.open) ledger = withScope(ledger, scope);
  return ledger;
}

/** Applies an event. If the law forbids it, returns the ledger unchanged and the violation. */
export function advance(ledger: Ledger, event: AgentEvent): { ledger: Ledger; violation: string | null } {
  const violation = findViolation(ledger, event);
  if (violation !== null) return { ledger, violation };
  const rule = ruleOf(event);
  // Most events change no scope: return the same object, so that callers can compare by identity.
  if (!rule.opens && !rule.closes && !rule.lifts && !rule.once && !rule.next) return { ledger, violation: null };
  let next = ledger;
  if (event.type === "decision.resolved") next = withAllowedCall(next, event);
  if (rule.closes) next = withoutClosed(next, rule.closes, event);
  if (rule.lifts) next = withoutLifted(next, rule.lifts, event);
  if (rule.opens) {
    const request = event.type === "decision.requested" ? { request: event } : {};
    const key = keyOf(rule.opens, event);
    next = withScope(next, {
      scope: rule.opens,
      key,
      name: nameOf(event),
      marks: [],
      ...request,
      ...partOf(event),
      ...parentOf(event),
    });
  }
  if (rule.next && rule.within) {
    const continued = findOpen(next, rule.within, event);
    if (continued !== undefined) next = withScope(next, { ...continued, ...partOf(event) });
  }
  if (rule.once && rule.within) {
    const marked = findOpen(next, rule.within, event);
    if (marked !== undefined) next = withScope(next, { ...marked, marks: [...marked.marks, event.type] });
  }
  return { ledger: next, violation: null };
}

function withoutClosed(ledger: Ledger, closed: LawScope, event: AgentEvent): Ledger {
  const key = keyOf(closed, event);
  if (closed === "tool") return { ...ledger, tools: keyedMap.remove(ledger.tools, key) };
  if (closed === "decision") return { ...ledger, decisions: keyedMap.remove(ledger.decisions, key) };
  if (closed === "message") return { ...ledger, messages: keyedMap.remove(ledger.messages, key) };
  const open = ledger.open.filter((one) => !matches(one, closed, event) && !lapsesWith(one.scope, closed));
  return { ...ledger, open, over: closed === "session" };
}

function withoutLifted(ledger: Ledger, lifted: LawScope, event: AgentEvent): Ledger {
  if (lifted === "message") return withoutClosed(ledger, lifted, event);
  return { ...ledger, open: ledger.open.filter((one) => one.scope !== lifted) };
}

/** Adds a scope, or replaces the one with its key. */
function withScope(ledger: Ledger, scope: OpenScope): Ledger {
  if (scope.scope === "tool") return { ...ledger, tools: keyedMap.set(ledger.tools, scope.key, scope) };
  if (scope.scope === "decision") return { ...ledger, decisions: keyedMap.set(ledger.decisions, scope.key, scope) };
  if (scope.scope === "message") return { ...ledger, messages: keyedMap.set(ledger.messages, scope.key, scope) };
  const others = ledger.open.filter((one) => one.scope !== scope.scope || one.key !== scope.key);
  return { ...ledger, open: [...others, scope] };
}

/** Marks the call of a decision that is allowed. */
function withAllowedCall(ledger: Ledger, { decision, outcome }: EventOf<"decision.resolved">): Ledger {
  const call = openRequest(ledger, decision)?.call;
  const scope = call === undefined ? undefined : keyedMap.get(ledger.tools, call);
  if (scope === undefined || (outcome !== "allowed" && outcome !== "answered")) return ledger;
  return withScope(ledger, { ...scope, allowed: true });
}

/** The map of the scopes of this kind, or null if at most one can be open. */
function manyOf(ledger: Ledger, scope: LawScope): KeyedMap<OpenScope> | null {
  if (scope === "message") return ledger.messages;
  return scope === "tool" ? ledger.tools : scope === "decision" ? ledger.decisions : null;
}

function findOpen(ledger: Ledger, scope: LawScope, event: AgentEvent): OpenScope | undefined {
  const many = manyOf(ledger, scope);
  if (many !== null) return keyedMap.get(many, keyOf(scope, event));
  return ledger.open.find((one) => matches(one, scope, event));
}

function findViolation(ledger: Ledger, event: AgentEvent): string | null {
  const rule = ruleOf(event);
  const requiredScope = rule.within ?? rule.closes;
  if (ledger.over) return `${event.type} after session.ended`;
  if (requiredScope) {
    const openScope = findOpen(ledger, requiredScope, event);
    if (!openScope) return `${event.type} without an open ${describe(requiredScope, event)}`;
    if (rule.once && openScope.marks.includes(event.type)) {
      return `a second ${event.type} for ${describe(requiredScope, event)}`;
    }
    if (rule.next && !isNextPart(openScope, event)) return `${event.type} is not the next part of the open text`;
  }
  const { opens, closes } = rule;
  const outside = rule.outside?.find((scope) => isOpen(ledger, scope));
  if (outside) return `${event.type} while a ${outside} is open`;
  if (opens && isOpen(ledger, opens, lawScopes[opens].single ? undefined : keyOf(opens, event))) {
    return `${event.type} while ${describe(opens, event)} is open already`;
  }
  const child = closes === undefined ? undefined : firstInside(ledger, closes);
  if (child) return `${event.type} while ${`${child.scope} ${child.key}`.trimEnd()} is still open`;
  return null;
}

/** The first open scope that must close before the given one. */
function firstInside(ledger: Ledger, outer: LawScope): OpenScope | undefined {
  const inside = scopeKinds.filter((scope) => lawScopes[scope].inside === outer && !lawScopes[scope].lapses);
  const occupied = inside.find((scope) => isOpen(ledger, scope));
  return occupied === undefined ? undefined : openScopes(ledger, occupied)[0];
}

/** Whether an event continues a text: it has the next number and the parent of the other parts. */
function isNextPart({ part = 0, name }: OpenScope, event: AgentEvent): boolean {
  return partOf(event).part === part + 1 && nameOf(event) === name;
}

function partOf(event: AgentEvent): Pick<OpenScope, "part"> {
  return "part" in event && event.part !== undefined ? { part: event.part } : {};
}

function parentOf(event: AgentEvent): Pick<OpenScope, "parent"> {
  return event.type === "tool.requested" && event.parent !== undefined ? { parent: event.parent } : {};
}

function keyOf(scope: LawScope, event: AgentEvent): string {
  const field = lawScopes[scope].key;
  return field === null ? "" : String((event as unknown as Record<string, unknown>)[field]);
}

function nameOf(event: AgentEvent): string {
  if (event.type === "message.queued") return event.text;
  if (event.type === "text.ended" || event.type === "reasoning.ended") return event.parent ?? "";
  return ("name" in event ? event.name : null) ?? "";
}

function matches(openScope: OpenScope, scope: LawScope, event: AgentEvent): boolean {
  if (openScope.scope !== scope) return false;
  const field = lawScopes[scope].key;
  // An event without the key field belongs to the open scope: a text belongs to the open turn.
  return field === null || !(field in event) || openScope.key === keyOf(scope, event);
}

function lapsesWith(scope: LawScope, closedScope: LawScope): boolean {
  return lawScopes[scope].lapses && lawScopes[scope].inside === closedScope;
}

function describe(scope: LawScope, event: AgentEvent): string {
  const field = lawScopes[scope].key;
  return field !== null && field in event ? `${scope} ${keyOf(scope, event)}` : scope;
}
