import type { AgentEvent } from "../agent-event.ts";
import { ruleOf, scopes, type Scope } from "./law.ts";

/** A stretch that is open now. */
export interface Open {
  readonly scope: Scope;
  readonly key: string;
  /** What the opening event called it, for the sentence that closes it. */
  readonly name: string;
  /** Events that may come only once in it and have come. */
  readonly marks: readonly string[];
}

/** What is open after some events. Plain JSON; the whole memory that the law needs. */
export interface Ledger {
  readonly over: boolean;
  readonly open: readonly Open[];
}

export const emptyLedger: Ledger = { over: false, open: [] };

/** The name of the open turn, if there is one. */
export function openTurn(ledger: Ledger): string | null {
  return ledger.open.find((one) => one.scope === "turn")?.key ?? null;
}

export function isOpen(ledger: Ledger, scope: Scope, key?: string): boolean {
  return ledger.open.some((one) => one.scope === scope && (key === undefined || one.key === key));
}

/** The ledger after an event; or, if the law forbids it, the ledger as it was and a sentence saying why. */
export function advance(ledger: Ledger, event: AgentEvent): { ledger: Ledger; violation: string | null } {
  const violation = forbids(ledger, event);
  if (violation !== null) return { ledger, violation };
  const rule = ruleOf(event);
  // Most events neither open nor close anything.
  if (!rule.opens && !rule.closes && !rule.lifts && !rule.once) return { ledger, violation: null };
  let { over, open } = ledger;
  if (rule.closes) {
    const closed = rule.closes;
    open = open.filter((one) => !matches(one, closed, event) && !lapsesWith(one.scope, closed));
    over = closed === "session";
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

function forbids(ledger: Ledger, event: AgentEvent): string | null {
  const rule = ruleOf(event);
  const holder = rule.within ?? rule.closes;
  if (ledger.over) return `${event.type} after session.ended`;
  if (holder) {
    const instance = ledger.open.find((one) => matches(one, holder, event));
    if (!instance) return `${event.type} without an open ${describe(holder, event)}`;
    if (rule.once && instance.marks.includes(event.type)) {
      return `a second ${event.type} for ${describe(holder, event)}`;
    }
  }
  const { opens, closes } = rule;
  const outside = rule.outside?.find((scope) => isOpen(ledger, scope));
  if (outside) return `${event.type} while a ${outside} is open`;
  if (opens && isOpen(ledger, opens, scopes[opens].single ? undefined : keyOf(opens, event))) {
    return `${event.type} while ${describe(opens, event)} is open already`;
  }
  const child = ledger.open.find((one) => closes && scopes[one.scope].inside === closes && !scopes[one.scope].lapses);
  if (child) return `${event.type} while ${child.scope} ${child.key} is still open`;
  return null;
}

function keyOf(scope: Scope, event: AgentEvent): string {
  const field = scopes[scope].key;
  return field === null ? "" : String((event as unknown as Record<string, unknown>)[field]);
}

function matches(one: Open, scope: Scope, event: AgentEvent): boolean {
  if (one.scope !== scope) return false;
  const field = scopes[scope].key;
  // An event that does not name the scope belongs to whichever is open: a text belongs to the turn.
  return field === null || !(field in event) || one.key === keyOf(scope, event);
}

function lapsesWith(scope: Scope, closed: Scope): boolean {
  return scopes[scope].lapses && scopes[scope].inside === closed;
}

function describe(scope: Scope, event: AgentEvent): string {
  const field = scopes[scope].key;
  return field !== null && field in event ? `${scope} ${keyOf(scope, event)}` : scope;
}
