import type { Event } from "@fairlead/contract";
import type { CommandKind } from "./command-repeater.ts";

/** The event that each kind of command leaves in the journal. */
const isEffect: Readonly<Record<CommandKind, (body: Event["body"]) => boolean>> = {
  start: ({ type }) => type === "session.started",
  send: ({ type }) => type === "turn.started",
  steer: ({ type }) => type === "turn.steered",
  inject: ({ type }) => type === "context.injected",
  answer: (body) => body.type === "decision.resolved" && body.by.kind === "person" && body.outcome !== "canceled",
  interrupt: (body) => body.type === "turn.ended" && body.outcome === "interrupted",
  pause: ({ type }) => type === "session.paused",
  resume: ({ type }) => type === "session.resumed",
  stop: ({ type }) => type === "session.ended",
};

/** Counts the effects of each kind in the journal. */
export function countEffects(journal: readonly Event[]): Readonly<Record<CommandKind, number>> {
  const counts = Object.entries(isEffect).map(([kind, matches]) => [
    kind,
    journal.filter(({ body }) => matches(body)).length,
  ]);
  return Object.fromEntries(counts) as Record<CommandKind, number>;
}
