import {
  type DecisionView,
  parseArguments,
  type SessionPage,
  type SessionQuery,
  type SessionView,
  type TurnBucket,
  type UsageBucket,
  type UsageHistoryQuery,
  type UsageView,
} from "@fairlead/api";
import { estimateTotal, type SessionProjection, type SessionProjections } from "@fairlead/runtime";
import { HistoryRange } from "./reading/history-range.ts";
import { TurnHistorySums } from "./reading/turn-history-sums.ts";
import { UsageHistorySums } from "./reading/usage-history-sums.ts";
import { rowStatesOf } from "./row-states-of.ts";
import { type SessionFacts, toUsageView } from "./views.ts";

/** The rows of the index, and what this process knows beyond them. */
export type IndexedSessions = Pick<
  SessionProjections,
  "page" | "list" | "count" | "projectionOf" | "waitUntilComplete" | "pendingCount"
>;

export interface IndexQueriesOptions {
  readonly projections: IndexedSessions;
  /** Builds the view of a session from what its events say and the owner that wrote its row. */
  readonly view: (facts: SessionFacts, owner: string) => Promise<SessionView>;
}

/** The number of sessions of one agent in one state. */
export interface SessionCount {
  readonly agent: string;
  readonly state: SessionView["state"];
  readonly count: number;
}

/** The states of rows whose sessions a process drives, or should. */
const openStates = ["idle", "working", "waiting"];
const settledStates = ["paused", "ended", "damaged"];
const defaultPageSize = 100;
/** Milliseconds that a page waits for an index that is being rebuilt. */
const maxIndexWaitMs = 5000;

/** The queries about many sessions. They read the index and no session. */
export class IndexQueries {
  readonly #options: IndexQueriesOptions;
  readonly #projections: IndexedSessions;

  constructor(options: IndexQueriesOptions) {
    this.#options = options;
    this.#projections = options.projections;
  }

  /**
   * Returns a page of sessions. Reads only the rows of the page, and rows of open sessions whose state differs from the
   * one in the index: whether a session is silent or lost depends on the time and on other processes.
   */
  async sessions({
    state: states,
    order,
    limit = defaultPageSize,
    cursor,
    ...query
  }: SessionQuery): Promise<SessionPage> {
    const isComplete = await this.#projections.waitUntilComplete(maxIndexWaitMs);
    const rowQuery = { ...query, ...(states && { states: rowStatesOf(states) }) };
    const sessions: SessionView[] = [];
    let next: string | null | undefined = cursor;
    do {
      const page = await this.#projections.page(rowQuery, {
        limit: limit - sessions.length,
        ...(order && { order }),
        ...(next !== undefined && { cursor: next }),
      });
      for (const row of page.rows) {
        const view = await this.viewInList(this.#projections.projectionOf(row), row.owner);
        if (view === undefined || states?.includes(view.state) === false) continue;
        sessions.push(view);
      }
      next = page.next;
    } while (next !== null && sessions.length < limit);
    return { sessions, next, pending: isComplete ? 0 : Math.max(1, this.#projections.pendingCount) };
  }

  /** Builds the view of a session as lists have it; undefined before its first event. */
  async viewInList(projection: SessionProjection, owner: string): Promise<SessionView | undefined> {
    const view = await this.#view(projection, owner);
    return view && { ...view, estimate: await estimateTotal(projection.usage) };
  }

  /** Counts the sessions by agent and state. Reads the rows of open sessions only: the index has the other numbers. */
  async countSessions(): Promise<SessionCount[]> {
    const counts = new Map<string, SessionCount>();
    const add = (agent: string, state: SessionView["state"], count: number): void => {
      const key = JSON.stringify([agent, state]);
      counts.set(key, { agent, state, count: (counts.get(key)?.count ?? 0) + count });
    };
    for (const { agent, state, count } of await this.#projections.count({ states: settledStates }))
      add(agent, state as SessionView["state"], count);
    for await (const row of this.#projections.list({ states: openStates })) {
      const view = await this.#view(this.#projections.projectionOf(row), row.owner);
      if (view !== undefined) add(view.agent, view.state, 1);
    }
    return [...counts.values()];
  }

  async decisions(): Promise<DecisionView[]> {
    const rows = await Array.fromAsync(this.#projections.list({ states: ["waiting"] }));
    return rows.flatMap((row) => this.#projections.projectionOf(row).openDecisions);
  }

  async usage(): Promise<UsageView[]> {
    await this.#projections.waitUntilComplete();
    const all: UsageView[] = [];
    for await (const row of this.#projections.list({}))
      all.push(...(await toUsageViews(this.#projections.projectionOf(row))));
    return all;
  }

  /** Returns the usage in a range of time. Reads only rows of sessions that were active since it began. */
  async usageHistory(query: UsageHistoryQuery): Promise<UsageBucket[]> {
    const [parsed] = parseArguments("usageHistory", [query]) as [UsageHistoryQuery];
    const range = new HistoryRange(parsed, Date.now());
    const sums = new UsageHistorySums(range);
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ since: range.from }))
      sums.add(this.#projections.projectionOf(row));
    return sums.buckets;
  }

  /** Returns turns and waiting times. Reads also rows of sessions that were not active since, but wait. */
  async turnHistory(query: UsageHistoryQuery): Promise<TurnBucket[]> {
    const [parsed] = parseArguments("turnHistory", [query]) as [UsageHistoryQuery];
    const now = Date.now();
    const range = new HistoryRange(parsed, now);
    const sums = new TurnHistorySums(range, now);
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ since: range.from }))
      sums.add(this.#projections.projectionOf(row));
    for await (const row of this.#projections.list({ states: ["waiting"], until: range.from }))
      sums.add(this.#projections.projectionOf(row));
    return sums.buckets;
  }

  /** Lists the sessions that are paused until a time. */
  async *listParked(): AsyncGenerator<{ readonly session: string; readonly until: string }> {
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ states: ["paused"] })) {
      const until = this.#projections.projectionOf(row).summary?.pausedUntil ?? null;
      if (until !== null) yield { session: row.session, until };
    }
  }

  /** Lists the open sessions that agents started. */
  async *listDelegated(): AsyncGenerator<{ readonly session: string; readonly parent: string }> {
    await this.#projections.waitUntilComplete();
    for await (const row of this.#projections.list({ states: [...openStates, "paused", "damaged"] })) {
      const parent = this.#projections.projectionOf(row).summary?.parent?.session;
      if (parent !== undefined) yield { session: row.session, parent };
    }
  }

  async #view({ summary, activity }: SessionProjection, owner: string): Promise<SessionView | undefined> {
    return summary && (await this.#options.view({ summary, activity }, owner));
  }
}

/** Builds the views of a session's usage, one for each model. */
export async function toUsageViews({ usage, summary }: SessionProjection): Promise<UsageView[]> {
  const { workspace = "", room = null } = summary ?? {};
  return await Promise.all(usage.map((one) => toUsageView(one, { workspace, room })));
}
