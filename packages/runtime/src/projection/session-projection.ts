import { requestDigest, type DecidedBy, type Event, type EventOf, type TokenCounts } from "@fairlead/contract";
import type { SessionRow } from "@fairlead/journal";
import { SummaryReducer, type SessionSummary } from "../sessions/session-summary.ts";
import { ActivityReducer, type ActivityContent, type ActivitySummary } from "./activity-reducer.ts";
import { TurnHistory, type HourlyTurns, type TurnHistoryContent } from "./turn-history.ts";
import { UsageHistory, type HourlyUsage, type UsageHistoryContent } from "./usage-history.ts";
import { UsageTotals, type SessionUsage } from "./usage-totals.ts";

/** Raise it when the content of rows changes. The index is then rebuilt from the journal. */
export const projectionVersion = 11;

/** A decision that waits for an answer. */
export type OpenDecision = Omit<EventOf<"decision.requested">, "type"> & {
  readonly session: string;
  readonly agent: string;
  readonly since: string;
  readonly digest: string;
  /** Whether an earlier request was resolved, and not by a person, since a person last resolved one. */
  readonly replaces: boolean;
};

/** What a row of the index contains beside the fields of queries. */
interface ProjectionContent {
  readonly summary: SessionSummary;
  /** The turns of the queued messages. */
  readonly queued: readonly string[];
  readonly decisions: readonly OpenDecision[];
  readonly usage: readonly SessionUsage[];
  readonly history: UsageHistoryContent;
  readonly turns: TurnHistoryContent;
  /** Whether a request was resolved, and not by a person, since a person last resolved one. */
  readonly withdrawn: boolean;
  readonly activity: ActivityContent;
}

/** Whether a person who has read a request may miss that it is gone. The mode and rules answer before it can be read. */
const withdraws: Readonly<Record<DecidedBy["kind"], boolean | "unchanged">> = {
  person: false,
  mode: "unchanged",
  agent: true,
  runtime: true,
  unattended: true,
  limit: true,
  policy: "unchanged",
  deadline: true,
};

/**
 * The summary, usage, activity and open decisions of one session, folded from its events. Its size is bounded, whatever the number
 * of events. A row of the index contains all of it, so that the fold continues from a row.
 */
export class SessionProjection {
  readonly #summary: SummaryReducer;
  readonly #usage: UsageTotals;
  readonly #history: UsageHistory;
  readonly #turns: TurnHistory;
  readonly #decisions: Map<string, OpenDecision>;
  readonly #activity: ActivityReducer;
  #withdrawn: boolean;

  constructor({
    summary,
    queued,
    usage,
    history,
    turns,
    decisions,
    withdrawn = false,
    activity,
  }: Partial<ProjectionContent> = {}) {
    this.#summary = new SummaryReducer(summary, queued);
    this.#usage = new UsageTotals(usage);
    this.#history = new UsageHistory(history);
    this.#turns = new TurnHistory(turns);
    this.#decisions = new Map(decisions?.map((decision) => [decision.decision, decision]));
    this.#withdrawn = withdrawn;
    this.#activity = new ActivityReducer(activity);
  }

  static fromRow({ content }: Pick<SessionRow, "content">): SessionProjection {
    return new SessionProjection(JSON.parse(content) as ProjectionContent);
  }

  /** Undefined before the first event. */
  get summary(): SessionSummary | undefined {
    return this.#summary.summary;
  }

  /** The turns of the queued messages, from which a fold of its summary continues. */
  get queued(): readonly string[] {
    return this.#summary.queued;
  }

  get usage(): readonly SessionUsage[] {
    return this.#usage.totals;
  }

  /** The usage by hour. The sums of all hours are `usage`. */
  get usageHistory(): Iterable<HourlyUsage> {
    return this.#history.sums();
  }

  /** The turns and the waiting time by hour. A wait that is not over is counted until `now`. */
  turnHistory(now: number): Iterable<HourlyTurns> {
    return this.#turns.sums(now);
  }

  get activity(): ActivitySummary {
    const tokens = this.#usage.totals.reduce((sum, { tokens: one }) => sum + sumTokens(one), 0);
    return { ...this.#activity.summary, tokens };
  }

  get openDecisions(): readonly OpenDecision[] {
    return [...this.#decisions.values()];
  }

  /** The sequence of the newest event in the projection. */
  get lastSequence(): number {
    return this.summary?.last ?? 0;
  }

  add(event: Event): void {
    this.#summary.add(event);
    this.#usage.add(event);
    this.#history.add(event);
    this.#activity.add(event, this.#summary.workspace);
    this.#addDecision(event);
    this.#turns.add(event, this.#decisions.size > 0);
  }

  /** Returns the row of the index; undefined before the first event. */
  toRow(owned: Pick<SessionRow, "epoch" | "owner" | "unfinished">): SessionRow | undefined {
    const { summary, queued, usage, openDecisions: decisions } = this;
    if (summary === undefined) return undefined;
    const { session, last, state, name, agent, workspace, continues, agentSessionId, startedAt, lastAt } = summary;
    const withdrawn = this.#withdrawn;
    const { content: activity } = this.#activity;
    const { content: history } = this.#history;
    const { content: turns } = this.#turns;
    const content = JSON.stringify({
      summary,
      queued,
      decisions,
      usage,
      history,
      turns,
      withdrawn,
      activity,
    } satisfies ProjectionContent);
    const fields = { session, last, state, name, agent, workspace, continues, agentSessionId, startedAt, lastAt };
    return { ...owned, ...fields, content };
  }

  #addDecision({ body, session, agent, occurredAt: since }: Event): void {
    if (body.type === "decision.resolved") {
      this.#decisions.delete(body.decision);
      const withdrawn = withdraws[body.by.kind];
      if (withdrawn !== "unchanged") this.#withdrawn = withdrawn;
    }
    if (body.type !== "decision.requested") return;
    const { type: _, ...request } = body;
    const digest = requestDigest(request);
    this.#decisions.set(body.decision, { ...request, session, agent, since, digest, replaces: this.#withdrawn });
  }
}

/** Reasoning is a part of the output. */
function sumTokens({ uncached, cacheRead, cacheWrite, output }: TokenCounts): number {
  return uncached + cacheRead + cacheWrite + output;
}
