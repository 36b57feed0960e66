import type { AgentEvent } from "../agent-event.ts";
import { ruleOf, lawScopes, type LawScope } from "./law.ts";

/** A scope that is open. */
export interface OpenScope {
  readonly scope: LawScope;
  readonly key: string;
  /** The `name` field of the event that opened it. The closing event repeats it. */
  readonly name: string;
  /** Types of `once` events that occurred in it. */
  readonly marks: readonly string[];
}

/** The open scopes after a sequence of events. Plain JSON; the only state that the law needs. */
export interface Ledger {
  readonly over: boolean;
  readonly open: readonly OpenScope[];
}

export const emptyLedger: Ledger = { over: false, open: [] };

/** Returns the key of the open turn, or null. */
export function openTurn(ledger: Ledger): string | null {
  return ledger.open.find((one) => one.scope === "turn")?.key ?? null;
}

export function isOpen(ledger: Ledger, scope: LawScope, key?: string): boolean {
  return ledger.open.some((one) => one.scope === scope && (key === undefined || one.key === key));
}

/** Applies an event. If the law forbids it, returns the ledger unchanged and the violation. */
export function advance(ledger: Ledger, event: AgentEvent): { ledger: Ledger; violation: string | null } {
  const violation = findViolation(ledger, event);
  if (violation !== null) return { ledger, violation };
  const rule = ruleOf(event);
  // Most events change no scope: return the same object, so that callers can compare by identity.
  if (!rule.opens && !rule.closes && !rule.lifts && !rule.once) return { ledger, violation: null };
  let { over, open } = ledger;
  if (rule.closes) {
    const closedScope = rule.closes;
    open = open.filter((one) => !matches(one, closedScope, event) && !lapsesWith(one.scope, closedScope));
    over = closedScope === "session";
  }
  if (rule.lifts) open = open.filter((one) => one.scope !== rule.lifts);
  if (rule.opens) {
    const name = ("name" in event ? event.name : null) ?? "";
    open = [...open, { scope: rule.opens, key: keyOf(rule.opens, event), name, marks: [] }];
  }
  if (rule.once && rule.within) {
    const { within } = rule;
    open = open.map((one) => (matches(one, within, event) ? { ...one, marks: [...one.marks, event.type] } : one));
  }
  return { ledger: { over, open }, violation: null };
}

function findViolation(ledger: Ledger, event: AgentEvent): string | null {
  const rule = ruleOf(event);
  const requiredScope = rule.within ?? rule.closes;
  if (ledger.over) return `${event.type} after session.ended`;
  if (requiredScope) {
    const openScope = ledger.open.find((one) => matches(one, requiredScope, event));
    if (!openScope) return `${event.type} without an open ${describe(requiredScope, event)}`;
    if (rule.once && openScope.marks.includes(event.type)) {
      return `a second ${event.type} for ${describe(requiredScope, event)}`;
    }
  }
  const { opens, closes } = rule;
  const outside = rule.outside?.find((scope) => isOpen(ledger, scope));
  if (outside) return `${event.type} while a ${outside} is open`;
  if (opens && isOpen(ledger, opens, lawScopes[opens].single ? undefined : keyOf(opens, event))) {
    return `${event.type} while ${describe(opens, event)} is open already`;
  }
  const child = ledger.open.find(
    (one) => closes && lawScopes[one.scope].inside === closes && !lawScopes[one.scope].lapses,
  );
  if (child) return `${event.type} while ${child.scope} ${child.key} is still open`;
  return null;
}

function keyOf(scope: LawScope, event: AgentEvent): string {
  const field = lawScopes[scope].key;
  return field === null ? "" : String((event as unknown as Record<string, unknown>)[field]);
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
