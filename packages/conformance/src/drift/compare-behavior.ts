import type { Event } from "@fairlead/contract";
import type { AgentBehavior } from "./agent-behavior.ts";
import { inferMessageShapes, type MessageShapes } from "./message-shapes.ts";

/** The differences between two versions of an agent, one sentence each, grouped by where they show. */
export interface Drift {
  readonly flags: readonly string[];
  readonly wire: readonly string[];
  readonly events: readonly string[];
  readonly clauses: readonly string[];
}

/** Compares the behavior of two versions of an agent. */
export function compareBehavior(before: AgentBehavior, after: AgentBehavior): Drift {
  return {
    flags: differences(before.flags, after.flags, (flag) => `the flag ${flag}`),
    wire: wireDrift(
      inferMessageShapes(before.scenarios.map((scenario) => scenario.records)),
      inferMessageShapes(after.scenarios.map((scenario) => scenario.records)),
    ),
    events: eventDrift(before, after),
    clauses: clauseDrift(before, after),
  };
}

export function hasNoDrift({ flags, wire, events, clauses }: Drift): boolean {
  return [flags, wire, events, clauses].every((sentences) => sentences.length === 0);
}

function wireDrift(before: MessageShapes, after: MessageShapes): string[] {
  const kindDifferences = differences(Object.keys(before), Object.keys(after), (kind) => `the message "${kind}"`);
  const shared = Object.keys(before).filter((kind) => kind in after);
  const fieldDifferences = shared.flatMap((kind) => {
    const [beforeTypes, afterTypes] = [before[kind] ?? {}, after[kind] ?? {}];
    const pathDifferences = differences(
      withoutNestedAdditions(beforeTypes, afterTypes),
      withoutNestedAdditions(afterTypes, beforeTypes),
      (path) => `the member ${path} of "${kind}"`,
    );
    const typeDifferences = Object.keys(beforeTypes)
      .filter((path) => path in afterTypes && beforeTypes[path]?.join() !== afterTypes[path]?.join())
      .map(
        (path) =>
          `The member ${path} of "${kind}" was ${joinTypes(beforeTypes[path])} and is ${joinTypes(afterTypes[path])}.`,
      );
    return [...pathDifferences, ...typeDifferences];
  });
  return [...kindDifferences, ...fieldDifferences];
}

/** Drops the paths below a path that the other version lacks, so that a new member counts as one difference. */
function withoutNestedAdditions(own: MessageShapes[string], other: MessageShapes[string]): string[] {
  const isNew = (path: string): boolean => path in own && !(path in other);
  return Object.keys(own).filter((path) => !ancestorPaths(path).some(isNew));
}

function ancestorPaths(path: string): string[] {
  return [...path.matchAll(/\.|\[\]/g)]
    .map((match) => path.slice(0, match.index))
    .filter((ancestor) => ancestor !== "");
}

function eventDrift(before: AgentBehavior, after: AgentBehavior): string[] {
  const eventsAfter = new Map(after.scenarios.map((scenario) => [scenario.name, scenario.events]));
  return before.scenarios.flatMap(({ name, events }) => {
    const [typesBefore, typesAfter] = [eventTypeSequence(events), eventTypeSequence(eventsAfter.get(name) ?? [])];
    if (typesBefore.join() === typesAfter.join()) return [];
    const firstDifference = typesBefore.findIndex((kind, index) => kind !== typesAfter[index]);
    const differenceIndex = firstDifference < 0 ? typesBefore.length : firstDifference;
    return [
      `In "${name}", event ${differenceIndex + 1} was ${typesBefore[differenceIndex] ?? "nothing"} and is ${typesAfter[differenceIndex] ?? "nothing"}.`,
    ];
  });
}

/** Lists the event types in order, without the types whose number depends on timing. */
export function eventTypeSequence(events: readonly Event[]): string[] {
  const volatileTypes = new Set(["status.reported", "tool.progressed", "session.changed"]);
  return events.map(({ body }) => body.type).filter((type) => !volatileTypes.has(type));
}

function clauseDrift(before: AgentBehavior, after: AgentBehavior): string[] {
  const statusAfter = new Map(after.verdicts.map((verdict) => [verdict.clause, verdict.status]));
  return before.verdicts
    .filter(({ clause, status }) => statusAfter.get(clause) !== status)
    .map(({ clause, status }) => `${clause} was ${status} and is ${statusAfter.get(clause) ?? "not judged"}.`);
}

function differences(
  before: readonly string[],
  after: readonly string[],
  describe: (item: string) => string,
): string[] {
  const [beforeSet, afterSet] = [new Set(before), new Set(after)];
  return [
    ...before.filter((item) => !afterSet.has(item)).map((item) => `${capitalize(describe(item))} has vanished.`),
    ...after.filter((item) => !beforeSet.has(item)).map((item) => `${capitalize(describe(item))} has appeared.`),
  ];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function joinTypes(types: readonly string[] | undefined): string {
  return types?.join(" or ") ?? "nothing";
}
