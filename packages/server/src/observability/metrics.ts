import { type DecisionView, SessionView } from "@fairlead/api";
import type { Event, EventOf } from "@fairlead/contract";
import { collectDefaultMetrics, Registry } from "prom-client";
import { DurationTracker } from "./duration-tracker.ts";
import type { HttpObserver } from "./http-observer.ts";
import { createInstruments } from "./metric-definitions.ts";
import type { EventObserver, LocalFairlead, SessionCount } from "@fairlead/service";

/** Agents report arbitrary model names. Models above this count are labeled `other`, which bounds memory. */
const maxModels = 200;

const sessionStates = SessionView.shape.state.options;

/** What the gauges show. Neither reads the sessions that have ended. */
export type MetricsSource = Pick<LocalFairlead, "countSessions" | "decisions">;

/** The metrics of the service, for Prometheus. */
export class Metrics implements EventObserver, HttpObserver {
  readonly registry = new Registry();
  readonly #instruments = createInstruments(this.registry);
  readonly #durations = new DurationTracker();
  readonly #models = new Set<string>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const by of ["websocket", "sse"]) this.#instruments.followers.set({ by }, 0);
  }

  onEvent(event: Event): void {
    const { session, agent, occurredAt, body } = event;
    this.#instruments.events.inc({ agent, type: body.type });
    switch (body.type) {
      case "turn.started":
        this.#durations.start(session, `turn ${body.turn}`, occurredAt);
        break;
      case "turn.ended": {
        const seconds = this.#durations.stop(session, `turn ${body.turn}`, occurredAt);
        this.#instruments.turns.inc({ agent, outcome: body.outcome });
        if (seconds !== undefined) this.#instruments.turnSeconds.observe({ agent }, seconds);
        break;
      }
      case "decision.requested":
        this.#durations.start(session, `decision ${body.decision}`, occurredAt);
        break;
      case "decision.resolved": {
        const seconds = this.#durations.stop(session, `decision ${body.decision}`, occurredAt);
        if (seconds !== undefined) this.#instruments.decisionSeconds.observe({ agent, outcome: body.outcome }, seconds);
        break;
      }
      case "usage.reported":
        this.#recordUsage(agent, body);
        break;
      case "error.raised":
        this.#instruments.errors.inc({ agent, category: body.category });
        break;
      case "session.ended":
        this.#durations.forget(session);
    }
  }

  onResponse(route: string, status: number): void {
    this.#instruments.requests.inc({ route, status });
  }

  onFollow(by: "websocket" | "sse"): Disposable {
    const { followers } = this.#instruments;
    followers.inc({ by });
    return { [Symbol.dispose]: () => followers.dec({ by }) };
  }

  /** Renders all metrics, with the current state of the sessions. */
  async render(source: MetricsSource, now = Date.now()): Promise<string> {
    this.#updateGauges(await source.countSessions(), await source.decisions(), now);
    return await this.registry.metrics();
  }

  /** Sets the gauges from the sessions and not from events, so that they are correct after a restart. */
  #updateGauges(counts: readonly SessionCount[], openDecisions: readonly DecisionView[], now: number): void {
    const { sessions, decisions, oldestDecision } = this.#instruments;
    for (const gauge of [sessions, decisions, oldestDecision]) gauge.reset();
    for (const agent of new Set(counts.map((one) => one.agent))) {
      for (const state of sessionStates) sessions.set({ agent, state }, 0);
      const waitingSince = openDecisions.filter((one) => one.agent === agent).map(({ since }) => Date.parse(since));
      decisions.set({ agent }, waitingSince.length);
      oldestDecision.set({ agent }, Math.max(0, now - Math.min(now, ...waitingSince)) / 1000);
    }
    for (const { agent, state, count } of counts) sessions.set({ agent, state }, count);
  }

  #recordUsage(agent: string, { model: reportedModel, tokens, cost }: EventOf<"usage.reported">): void {
    const name = reportedModel.slice(0, 100);
    const model = this.#models.has(name) || this.#models.size < maxModels ? name : "other";
    this.#models.add(model);
    for (const [bucket, count] of Object.entries(tokens)) this.#instruments.tokens.inc({ agent, model, bucket }, count);
    // A counter rejects a negative increment, which a vendor's correction of the cost would be.
    if (cost !== null) this.#instruments.cost.inc({ agent, model }, Math.max(0, cost.amount));
  }
}
