import type { Event } from "@fairlead/contract";
import type { Performance } from "./performance.ts";
import { shapeOf, type Shape } from "./shape.ts";

/** What differs between two versions of an agent, a sentence each, by where it shows. */
export interface Drift {
  readonly flags: readonly string[];
  readonly wire: readonly string[];
  readonly events: readonly string[];
  readonly clauses: readonly string[];
}

export function compare(before: Performance, after: Performance): Drift {
  return {
    flags: differences(before.flags, after.flags, (flag) => `the flag ${flag}`),
    wire: wireDrift(shapeOf(before.scenes.map((one) => one.records)), shapeOf(after.scenes.map((one) => one.records))),
    events: eventDrift(before, after),
    clauses: clauseDrift(before, after),
  };
}

export function isSteady({ flags, wire, events, clauses }: Drift): boolean {
  return [flags, wire, events, clauses].every((sentences) => sentences.length === 0);
}

function wireDrift(before: Shape, after: Shape): string[] {
  const kinds = differences(Object.keys(before), Object.keys(after), (kind) => `the message "${kind}"`);
  const shared = Object.keys(before).filter((kind) => kind in after);
  const fields = shared.flatMap((kind) => {
    const [old, now] = [before[kind] ?? {}, after[kind] ?? {}];
    const places = differences(outermost(old, now), outermost(now, old), (place) => `the member ${place} of "${kind}"`);
    const types = Object.keys(old)
      .filter((place) => place in now && old[place]?.join() !== now[place]?.join())
      .map((place) => `The member ${place} of "${kind}" was ${join(old[place])} and is ${join(now[place])}.`);
    return [...places, ...types];
  });
  return [...kinds, ...fields];
}

/** Without the places below a place that the other does not have: a new member is one difference, not ten. */
function outermost(own: Shape[string], other: Shape[string]): string[] {
  const isNews = (place: string): boolean => place in own && !(place in other);
  return Object.keys(own).filter((place) => !aboveOf(place).some(isNews));
}

function aboveOf(place: string): string[] {
  return [...place.matchAll(/\.|\[\]/g)].map((match) => place.slice(0, match.index)).filter((above) => above !== "");
}

function eventDrift(before: Performance, after: Performance): string[] {
  const now = new Map(after.scenes.map((scene) => [scene.name, scene.events]));
  return before.scenes.flatMap(({ name, events }) => {
    const [old, fresh] = [skeleton(events), skeleton(now.get(name) ?? [])];
    if (old.join() === fresh.join()) return [];
    const at = old.findIndex((kind, index) => kind !== fresh[index]);
    const place = at < 0 ? old.length : at;
    return [`In "${name}", event ${place + 1} was ${old[place] ?? "nothing"} and is ${fresh[place] ?? "nothing"}.`];
  });
}

/** The kinds of events in their order, without those whose number depends on the clock or on chance. */
export function skeleton(events: readonly Event[]): string[] {
  const passing = new Set(["status.reported", "tool.progressed", "session.changed"]);
  return events.map(({ body }) => body.type).filter((type) => !passing.has(type));
}

function clauseDrift(before: Performance, after: Performance): string[] {
  const now = new Map(after.verdicts.map((verdict) => [verdict.clause, verdict.status]));
  return before.verdicts
    .filter(({ clause, status }) => now.get(clause) !== status)
    .map(({ clause, status }) => `${clause} was ${status} and is ${now.get(clause) ?? "not judged"}.`);
}

function differences(before: readonly string[], after: readonly string[], name: (one: string) => string): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...before.filter((one) => !now.has(one)).map((one) => `${capital(name(one))} has vanished.`),
    ...after.filter((one) => !old.has(one)).map((one) => `${capital(name(one))} has appeared.`),
  ];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function join(types: readonly string[] | undefined): string {
  return types?.join(" or ") ?? "nothing";
}
