import { SessionView } from "@fairlead/api";
import type { Event, EventOf } from "@fairlead/contract";
import { collectDefaultMetrics, Registry } from "prom-client";
import { Began } from "./began.ts";
import type { HttpWatch } from "./http-watch.ts";
import { instruments } from "./instruments.ts";
import type { Observer } from "./observer.ts";

/** Agents name their models; this many are told apart, so that no agent can fill our memory with names. */
const mostModels = 200;

const states = SessionView.shape.state.options;

/** The numbers of the service, for Prometheus. */
export class Metrics implements Observer, HttpWatch {
  readonly registry = new Registry();
  readonly #of = instruments(this.registry);
  readonly #began = new Began();
  readonly #models = new Set<string>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const by of ["websocket", "sse"]) this.#of.followers.set({ by }, 0);
  }

  saw(event: Event): void {
    const { session, agent: agent, occurredAt, body } = event;
    this.#of.events.inc({ agent, type: body.type });
    switch (body.type) {
      case "turn.started":
        this.#began.begin(session, `turn ${body.turn}`, occurredAt);
        break;
      case "turn.ended": {
        const seconds = this.#began.end(session, `turn ${body.turn}`, occurredAt);
        this.#of.turns.inc({ agent, outcome: body.outcome });
        if (seconds !== undefined) this.#of.turnSeconds.observe({ agent }, seconds);
        break;
      }
      case "decision.requested":
        this.#began.begin(session, `decision ${body.decision}`, occurredAt);
        break;
      case "decision.resolved": {
        const seconds = this.#began.end(session, `decision ${body.decision}`, occurredAt);
        if (seconds !== undefined) this.#of.decisionSeconds.observe({ agent, outcome: body.outcome }, seconds);
        break;
      }
      case "usage.reported":
        this.#spend(agent, body);
        break;
      case "error.raised":
        this.#of.errors.inc({ agent, category: body.category });
        break;
      case "session.ended":
        this.#began.forget(session);
    }
  }

  answered(route: string, status: number): void {
    this.#of.requests.inc({ route, status });
  }

  following(by: "websocket" | "sse"): Disposable {
    const { followers } = this.#of;
    followers.inc({ by });
    return { [Symbol.dispose]: () => followers.dec({ by }) };
  }

  /** All numbers, with those of the sessions as they are now. */
  async text(sessions: readonly SessionView[], now = Date.now()): Promise<string> {
    this.#look(sessions, now);
    return await this.registry.metrics();
  }

  /** Taken from the sessions and not from their events: so they are right also after a restart. */
  #look(all: readonly SessionView[], now: number): void {
    const { sessions, decisions, oldestDecision } = this.#of;
    for (const gauge of [sessions, decisions, oldestDecision]) gauge.reset();
    for (const agent of new Set(all.map((one) => one.agent))) {
      const own = all.filter((one) => one.agent === agent);
      for (const state of states) sessions.set({ agent, state }, own.filter((one) => one.state === state).length);
      const since = own.flatMap(({ waitingFor }) => waitingFor).map((one) => Date.parse(one.since));
      decisions.set({ agent }, since.length);
      oldestDecision.set({ agent }, Math.max(0, now - Math.min(now, ...since)) / 1000);
    }
  }

  #spend(agent: string, { model: named, tokens, cost }: EventOf<"usage.reported">): void {
    const name = named.slice(0, 100);
    const model = this.#models.has(name) || this.#models.size < mostModels ? name : "other";
    this.#models.add(model);
    for (const [bucket, count] of Object.entries(tokens)) this.#of.tokens.inc({ agent, model, bucket }, count);
    // A counter cannot go down; a vendor's correction would be one.
    if (cost !== null) this.#of.cost.inc({ agent, model }, Math.max(0, cost.amount));
  }
}
