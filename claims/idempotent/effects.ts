import type { Event } from "@fairlead/contract";
import type { Kind } from "./insistence.ts";

/** What a command of each kind leaves in the journal. */
const traces: Readonly<Record<Kind, (body: Event["body"]) => boolean>> = {
  start: ({ type }) => type === "session.started",
  send: ({ type }) => type === "turn.started",
  steer: ({ type }) => type === "turn.steered",
  inject: ({ type }) => type === "context.injected",
  answer: (body) => body.type === "decision.resolved" && body.by === "user",
  interrupt: (body) => body.type === "turn.ended" && body.outcome === "interrupted",
  pause: ({ type }) => type === "session.paused",
  resume: ({ type }) => type === "session.resumed",
  stop: ({ type }) => type === "session.ended",
};

/** How many effects of each kind the journal knows. */
export function effectsIn(journal: readonly Event[]): Readonly<Record<Kind, number>> {
  const counted = Object.entries(traces).map(([kind, is]) => [kind, journal.filter(({ body }) => is(body)).length]);
  return Object.fromEntries(counted) as Record<Kind, number>;
}
