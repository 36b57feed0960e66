import { lawful, type Event } from "@fairlead/contract";

/** What a journal has too few, too many, in another place than one that was never interrupted, or against the law. */
export interface Damage {
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  readonly unlawful: number;
}

export const noDamage: Damage = { lost: 0, doubled: 0, reordered: 0, unlawful: 0 };

/** Compares what is said, in its order, but for names that are made anew in every session. */
export function damageOf(unbroken: readonly Event[], journal: readonly Event[], workspaces: readonly string[]): Damage {
  const wanted = plain(unbroken, workspaces);
  const found = plain(journal, workspaces);
  const [more, fewer] = [surplus(found, wanted), surplus(wanted, found)];
  const isSame = more + fewer === 0;
  return {
    lost: fewer,
    doubled: more,
    reordered: isSame ? found.filter((one, at) => one !== wanted[at]).length : 0,
    unlawful: lawful(journal, { whole: true }).length,
  };
}

export function isUnharmed(damage: Damage): boolean {
  return Object.values(damage).every((count) => count === 0);
}

/** The first place where the two differ, for whoever looks for the cause. */
export function firstDifference(
  unbroken: readonly Event[],
  journal: readonly Event[],
  workspaces: readonly string[],
): string {
  const [wanted, found] = [plain(unbroken, workspaces), plain(journal, workspaces)];
  const at = wanted.findIndex((one, place) => one !== found[place]);
  return `event ${at + 1} was ${wanted[at]} and is ${found[at]}`;
}

export function addDamage(one: Damage, other: Damage): Damage {
  return {
    lost: one.lost + other.lost,
    doubled: one.doubled + other.doubled,
    reordered: one.reordered + other.reordered,
    unlawful: one.unlawful + other.unlawful,
  };
}

/** As sessions and agents name things, as the lab does, and as we name turns. */
const madeUp = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\w+_[0-9a-p]{24}|(?<="turn":")[0-9a-z]{12}(?=")/g;

/** Each body as text, with each made-up name replaced by its place among such names. */
function plain(events: readonly Event[], workspaces: readonly string[]): string[] {
  const names = new Map<string, string>();
  const rename = (name: string): string => {
    if (!names.has(name)) names.set(name, `name ${names.size + 1}`);
    return names.get(name) ?? name;
  };
  return events.map(({ body }) => {
    const text = workspaces.reduce((rest, folder) => rest.replaceAll(folder, "workspace"), JSON.stringify(body));
    return text.replace(madeUp, rename);
  });
}

function surplus(these: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const one of others) left.set(one, (left.get(one) ?? 0) + 1);
  return these.filter((one) => {
    const count = left.get(one) ?? 0;
    left.set(one, count - 1);
    return count <= 0;
  }).length;
}
