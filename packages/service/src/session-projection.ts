import type { DecisionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { SummaryReducer, type SessionSummary } from "@fairlead/runtime";
import { UsageTotals } from "./usage-totals.ts";

/** The summary, usage and open decisions of one session, folded from its events. */
export class SessionProjection {
  readonly usage = new UsageTotals();
  readonly #openDecisions = new Map<string, DecisionView>();
  readonly #summaryReducer = new SummaryReducer();

  /** Undefined before the first event. */
  get summary(): SessionSummary | undefined {
    return this.#summaryReducer.summary;
  }

  /** The open decisions. */
  get openDecisions(): readonly DecisionView[] {
    return [...this.#openDecisions.values()];
  }

  /** The sequence of the newest event in the projection. */
  get lastSequence(): number {
    return this.summary?.last ?? 0;
  }

  add(event: Event): void {
    this.#summaryReducer.add(event);
    this.usage.add(event);
    const { body, session, agent, occurredAt: since } = event;
    if (body.type === "decision.resolved") this.#openDecisions.delete(body.decision);
    if (body.type !== "decision.requested") return;
    const { type: _, ...request } = body;
    this.#openDecisions.set(body.decision, { ...request, session, agent, since });
  }
}
