import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** From a short answer to a day's work. */
const long = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 86_400];

/** Everything that is counted. `docs/watching.md` has a row for each, and a test holds it to that. */
export function instruments(registry: Registry) {
  const registers = [registry];
  return {
    sessions: new Gauge({
      name: "fairlead_sessions",
      help: "Sessions in the journal, by what they are doing.",
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
      help: "Turns that have ended.",
      labelNames: ["agent", "outcome"],
      registers,
    }),
    turnSeconds: new Histogram({
      name: "fairlead_turn_seconds",
      help: "How long turns took, of those that began while this process was there.",
      labelNames: ["agent"],
      buckets: long,
      registers,
    }),
    tokens: new Counter({
      name: "fairlead_tokens_total",
      help: "Tokens used. The bucket reasoning is a part of output; the others are apart.",
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
      help: "How long the oldest open decision has waited.",
      labelNames: ["agent"],
      registers,
    }),
    decisionSeconds: new Histogram({
      name: "fairlead_decision_wait_seconds",
      help: "How long decisions waited for their answer.",
      labelNames: ["agent", "outcome"],
      buckets: long,
      registers,
    }),
    errors: new Counter({
      name: "fairlead_errors_total",
      help: "Errors that agents met with.",
      labelNames: ["agent", "category"],
      registers,
    }),
    requests: new Counter({
      name: "fairlead_http_requests_total",
      help: "Requests that were answered; the route none is one that there is not.",
      labelNames: ["route", "status"],
      registers,
    }),
    followers: new Gauge({
      name: "fairlead_followers",
      help: "Connections over which a session is followed.",
      labelNames: ["by"],
      registers,
    }),
  };
}
