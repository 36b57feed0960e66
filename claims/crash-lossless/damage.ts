import { findViolations, type Event } from "@fairlead/contract";

/** Events that a journal lacks, has twice, has in another order than an uninterrupted one, or has against the law. */
export interface Damage {
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  readonly unlawful: number;
}

export const noDamage: Damage = { lost: 0, doubled: 0, reordered: 0, unlawful: 0 };

/** Compares the content in order, except for ids that differ in every session. */
export function measureDamage(
  uninterrupted: readonly Event[],
  journal: readonly Event[],
  workspaces: readonly string[],
): Damage {
  const expected = normalizeEvents(uninterrupted, workspaces);
  const actual = normalizeEvents(journal, workspaces);
  const [surplusEvents, missingEvents] = [countSurplus(actual, expected), countSurplus(expected, actual)];
  const isSame = surplusEvents + missingEvents === 0;
  return {
    lost: missingEvents,
    doubled: surplusEvents,
    reordered: isSame ? actual.filter((one, at) => one !== expected[at]).length : 0,
    unlawful: findViolations(journal, { complete: true }).length,
  };
}

export function isUndamaged(damage: Damage): boolean {
  return Object.values(damage).every((count) => count === 0);
}

/** The first difference, for debugging. */
export function findFirstDifference(
  uninterrupted: readonly Event[],
  journal: readonly Event[],
  workspaces: readonly string[],
): string {
  const [expected, actual] = [normalizeEvents(uninterrupted, workspaces), normalizeEvents(journal, workspaces)];
  const at = expected.findIndex((one, place) => one !== actual[place]);
  return `event ${at + 1} was ${expected[at]} and is ${actual[at]}`;
}

export function addDamage(one: Damage, other: Damage): Damage {
  return {
    lost: one.lost + other.lost,
    doubled: one.doubled + other.doubled,
    reordered: one.reordered + other.reordered,
    unlawful: one.unlawful + other.unlawful,
  };
}

/** Ids of sessions, agents, the lab and turns. */
const generatedNames = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\w+_[0-9a-p]{24}|(?<="turn":")[0-9a-z]{12}(?=")/g;

/** Each body as text, with each generated id replaced by its ordinal. */
function normalizeEvents(events: readonly Event[], workspaces: readonly string[]): string[] {
  const names = new Map<string, string>();
  const rename = (name: string): string => {
    if (!names.has(name)) names.set(name, `name ${names.size + 1}`);
    return names.get(name) ?? name;
  };
  return events.map(({ body }) => {
    const text = workspaces.reduce((rest, folder) => rest.replaceAll(folder, "workspace"), JSON.stringify(body));
    return text.replace(generatedNames, rename);
  });
}

function countSurplus(these: readonly string[], others: readonly string[]): number {
  const remaining = new Map<string, number>();
  for (const one of others) remaining.set(one, (remaining.get(one) ?? 0) + 1);
  return these.filter((one) => {
    const count = remaining.get(one) ?? 0;
    remaining.set(one, count - 1);
    return count <= 0;
  }).length;
}
