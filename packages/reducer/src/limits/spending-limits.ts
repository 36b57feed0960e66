import {
  findReachedLimit,
  isOpen,
  isSameJson,
  limitKinds,
  openScopes,
  zeroTokenCounts,
  type CommandOf,
  type EventOf,
  type Ledger,
  type LimitKind,
  type NoteOf,
  type Opening,
  type SpendingLimits,
  type Spent,
} from "@fairlead/contract";
import type { Emitter } from "../emitter.ts";
import { addModelUse, estimateCost, findModel, type ModelUse } from "./estimated-cost.ts";

/** What a session has used, and what it may use. Plain JSON. */
export interface SpendingState {
  readonly limits: SpendingLimits;
  /** The cost that the agent reported. */
  readonly usd: number;
  readonly tokens: number;
  /** What is used of each model without a reported cost. */
  readonly models: readonly ModelUse[];
  /** The time of the agent's turns until `clockSince`. */
  readonly milliseconds: number;
  /** The time since which the agent works on a turn. Null while it does not, or all of it waits for a decision. */
  readonly clockSince: number | null;
  /** When the alarm of the time limit is due. Null if it is not set. */
  readonly alarmAt: number | null;
  /** The kinds of limits of which most is used, and whose warning is written. */
  readonly warned: readonly LimitKind[];
}

export const initialSpending: SpendingState = {
  limits: {},
  usd: 0,
  tokens: 0,
  models: [],
  milliseconds: 0,
  clockSince: null,
  alarmAt: null,
  warned: [],
};

/** The alarm of the time limit. Spools contain the name. */
export const limitAlarm = "fairlead.limit";
/** Open calls that are looked at. With more, the agent is taken to work, so that an event costs the same. */
const maxComparedCalls = 100;
/** The part of a limit at which a warning is written. */
const warningShare = 0.8;

/** Returns what a new session has used: nothing, or what the session that it continues has used. */
export function spendingAtStart({ limits = {}, spent }: Pick<Opening, "limits" | "spent">): SpendingState {
  if (spent === undefined) return { ...initialSpending, limits };
  const { usd, tokens, seconds } = spent;
  return { ...initialSpending, limits, usd, tokens, milliseconds: seconds * 1000 };
}

/** Adds a report of usage. */
export function addReportedUsage(spending: SpendingState, report: EventOf<"usage.reported">): SpendingState {
  const { tokens, cost } = report;
  const { uncached, cacheWrite, output } = tokens;
  return {
    ...spending,
    models: addModelUse(spending.models, report),
    tokens: spending.tokens + uncached + cacheWrite + output,
    // A negative report would give back what a limit has counted.
    usd: spending.usd + Math.max(0, cost?.amount ?? 0),
  };
}

/** Returns what is used at a time; without one, what was used when the clock was last stopped. */
export function spentOf({ usd, tokens, models, milliseconds, clockSince }: SpendingState, at?: number): Spent {
  // The clock of the machine may have been set back.
  const running = clockSince === null || at === undefined ? 0 : Math.max(0, at - clockSince);
  return { usd: usd + estimateCost(models), tokens, seconds: (milliseconds + running) / 1000 };
}

/** Lists the models whose price a limit needs, with their places in the list of models. */
export function listUnpricedModels({
  limits,
  models,
}: SpendingState): { provider: string; model: string; index: number }[] {
  if (limits.usd === undefined) return [];
  return models.flatMap(({ provider, model, unpriced, price }, index) =>
    price === undefined && !isSameJson(unpriced, zeroTokenCounts) ? [{ provider, model, index }] : [],
  );
}

/** Keeps the limits of a session: counts the time, warns, and decides when the agent must stop. */
export const spendingLimits = {
  changed(emitter: Emitter, { limits: change }: CommandOf<"limit">): void {
    const limits = { ...emitter.state.spending.limits, ...change };
    update(emitter, { limits, warned: [] });
    emitter.emitOwn({ type: "session.changed", limits });
  },

  /** Applies the price of a model. What was used before it counts, too. */
  priced(emitter: Emitter, { provider, model, price, asOf }: NoteOf<"price">): void {
    const { models } = emitter.state.spending;
    const index = findModel(models, provider, model);
    const use = models[index];
    if (use === undefined || use.price !== undefined) return;
    update(emitter, { models: models.with(index, { ...use, price }) });
    const message =
      price === null
        ? `No price of ${model} is known. Its cost counts towards the limit only if the agent reports it.`
        : `Until the agent reports the cost of ${model}, it is estimated with list prices of ${asOf}.`;
    emitter.emitOwn({ type: "status.reported", level: price === null ? "warning" : "info", message });
  },

  /** Lets the alarm be set again, should it have rung a moment too early. */
  alarmRang(emitter: Emitter): void {
    update(emitter, { alarmAt: null });
  },

  /**
   * Whether the agent must stop now, because a limit is reached. Then the open turn is marked as interrupted by the limit,
   * and the session is to pause. The terminal of a person is never stopped: what was used in it counts when it ends.
   */
  stopsAgent(emitter: Emitter): boolean {
    spendingLimits.runClock(emitter);
    warnOnce(emitter);
    const { desiredState, ledger, interruptedBy, spending, opening } = emitter.state;
    if (ledger.over || desiredState !== "run" || isOpen(ledger, "lead")) return false;
    const kind = findReachedLimit(spending.limits, spentOf(spending, emitter.record.at));
    if (kind === null) return false;
    const used = describeUse(kind, spending, emitter.record.at);
    const message = `The session has reached a limit and is paused: ${used}. Continue with: fairlead resume ${opening?.session} --limit …`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
    const isInTurn = isOpen(ledger, "turn");
    emitter.state = {
      ...emitter.state,
      desiredState: "pause",
      stoppedFor: "budget",
      interruptedBy: isInTurn ? (interruptedBy ?? { kind: "limit" }) : null,
    };
    return true;
  },

  /** Starts and stops the clock with the agent's work, and sets the alarm for the time at which a limit needs attention. */
  runClock(emitter: Emitter): void {
    const { ledger, spending } = emitter.state;
    const { at } = emitter.record;
    const isInTurn = isOpen(ledger, "turn") && !isOpen(ledger, "lead");
    const isWorking = isInTurn && (!isOpen(ledger, "decision") || worksBesideDecisions(ledger));
    if (isWorking && spending.clockSince === null) update(emitter, { clockSince: at });
    if (!isWorking && spending.clockSince !== null)
      update(emitter, { clockSince: null, milliseconds: spentOf(spending, at).seconds * 1000 });
    const alarmAt = findAlarmTime(emitter.state.spending);
    if (alarmAt === spending.alarmAt) return;
    update(emitter, { alarmAt });
    if (alarmAt === null) emitter.enqueueEffect({ type: "disarm", name: limitAlarm });
    else emitter.enqueueEffect({ type: "alarm", name: limitAlarm, after: Math.max(0, alarmAt - at) });
  },
};

/**
 * Reports whether a call runs that waits for none of the open decisions: neither what is asked about, nor a sub-agent that
 * requested it. If it is not known which call waits, all may.
 */
function worksBesideDecisions(ledger: Ledger): boolean {
  if (ledger.tools.size > maxComparedCalls) return true;
  const calls = new Map(openScopes(ledger, "tool").map((scope) => [scope.key, scope]));
  const started = [...calls.values()].filter(({ marks }) => marks.includes("tool.started"));
  if (started.length === 0) return false;
  const waiting = new Set<string>();
  for (const { request } of openScopes(ledger, "decision")) {
    let call = request?.call;
    if (call === undefined) return false;
    while (call !== undefined && !waiting.has(call)) {
      waiting.add(call);
      call = calls.get(call)?.parent;
    }
  }
  return started.some(({ key }) => !waiting.has(key));
}

/** Returns when the warning or the limit of the time is due, or null while the clock stands or has no limit. */
function findAlarmTime({ limits: { seconds }, clockSince, milliseconds, warned }: SpendingState): number | null {
  if (seconds === undefined || clockSince === null) return null;
  const share = warned.includes("seconds") ? 1 : warningShare;
  return Math.ceil(clockSince + seconds * 1000 * share - milliseconds);
}

function warnOnce(emitter: Emitter): void {
  const { spending } = emitter.state;
  const { at } = emitter.record;
  const spent = spentOf(spending, at);
  for (const kind of limitKinds) {
    const limit = spending.limits[kind];
    if (limit === undefined || spending.warned.includes(kind) || spent[kind] < limit * warningShare) continue;
    update(emitter, { warned: [...emitter.state.spending.warned, kind] });
    // At the limit another message follows.
    if (spent[kind] >= limit) continue;
    const message = `The session is near a limit: ${describeUse(kind, spending, at)}.`;
    emitter.emitOwn({ type: "status.reported", level: "warning", message });
  }
  // The alarm of the warning has rung. The next one is due at the limit.
  if (emitter.state.spending.warned !== spending.warned) spendingLimits.runClock(emitter);
}

/** Describes what is used of a limit: `412,000 of 400,000 tokens`. */
function describeUse(kind: LimitKind, spending: SpendingState, at: number): string {
  const [used, limit] = [spentOf(spending, at)[kind], spending.limits[kind] ?? 0];
  if (kind === "tokens") return `${format(used, 0)} of ${format(limit, 0)} tokens`;
  const estimate = estimateCost(spending.models);
  const note = estimate === 0 ? "" : ` (${format(estimate, 4)} of them estimated)`;
  if (kind === "usd") return `${format(used, 4)} of ${format(limit, 4)} US dollars${note}`;
  return `${format(used, 1)} of ${format(limit, 1)} seconds`;
}

function format(value: number, maximumFractionDigits: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits });
}

function update(emitter: Emitter, change: Partial<SpendingState>): void {
  emitter.state = { ...emitter.state, spending: { ...emitter.state.spending, ...change } };
}
