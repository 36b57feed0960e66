import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** In seconds: from a short answer to a day. */
const durationBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400];

/** Creates all metrics of the service. `docs/build/observability.md` has a row for each, which a test checks. */
export function createInstruments(registry: Registry) {
  const registers = [registry];
  return {
    sessions: new Gauge({
      name: "fairlead_sessions",
      help: "Sessions in the journal, by state.",
      labelNames: ["agent", "state"],
      registers,
    }),
    events: new Counter({
      name: "fairlead_events_total",
      help: "Events written into the journal by this process.",
      labelNames: ["agent", "type"],
      registers,
    }),
    turns: new Counter({
      name: "fairlead_turns_total",
      help: "Ended turns.",
      labelNames: ["agent", "outcome"],
      registers,
    }),
    turnSeconds: new Histogram({
      name: "fairlead_turn_seconds",
      help: "Duration of turns that began in this process.",
      labelNames: ["agent"],
      buckets: durationBuckets,
      registers,
    }),
    tokens: new Counter({
      name: "fairlead_tokens_total",
      help: "Tokens used. The bucket reasoning is a part of output; the other buckets are disjoint.",
      labelNames: ["agent", "model", "bucket"],
      registers,
    }),
    cost: new Counter({
      name: "fairlead_cost_usd_total",
      help: "Cost in US dollars, where agents report one.",
      labelNames: ["agent", "model"],
      registers,
    }),
    decisions: new Gauge({
      name: "fairlead_decisions_open",
      help: "Decisions that wait for an answer.",
      labelNames: ["agent"],
      registers,
    }),
    oldestDecision: new Gauge({
      name: "fairlead_decision_oldest_seconds",
      help: "Wait of the oldest open decision.",
      labelNames: ["agent"],
      registers,
    }),
    decisionSeconds: new Histogram({
      name: "fairlead_decision_wait_seconds",
      help: "Wait of decisions until their answer.",
      labelNames: ["agent", "outcome"],
      buckets: durationBuckets,
      registers,
    }),
    errors: new Counter({
      name: "fairlead_errors_total",
      help: "Errors that agents reported.",
      labelNames: ["agent", "category"],
      registers,
    }),
    requests: new Counter({
      name: "fairlead_http_requests_total",
      help: "Answered requests. Unknown routes have the label none.",
      labelNames: ["route", "status"],
      registers,
    }),
    followers: new Gauge({
      name: "fairlead_followers",
      help: "Connections that follow a session.",
      labelNames: ["by"],
      registers,
    }),
  };
}
