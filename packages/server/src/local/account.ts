import type { DecisionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { Summarizing, type Summary } from "@fairlead/runtime";
import { UsageSum } from "./usage-sum.ts";

/** Everything that is shown of one session without reading it again, as a fold over its events. */
export class Account {
  readonly usage = new UsageSum();
  readonly #decisions = new Map<string, DecisionView>();
  readonly #summarizing = new Summarizing();

  /** Undefined until its first event. */
  get summary(): Summary | undefined {
    return this.#summarizing.summary;
  }

  /** The decisions that wait for an answer. */
  get decisions(): readonly DecisionView[] {
    return [...this.#decisions.values()];
  }

  /** The number of the newest event that it takes into account. */
  get last(): number {
    return this.summary?.last ?? 0;
  }

  add(event: Event): void {
    this.#summarizing.add(event);
    this.usage.add(event);
    const { body, session, agent: agent, occurredAt: since } = event;
    if (body.type === "decision.resolved") this.#decisions.delete(body.decision);
    if (body.type !== "decision.requested") return;
    const { type: _, ...request } = body;
    this.#decisions.set(body.decision, { ...request, session, agent, since });
  }
}
