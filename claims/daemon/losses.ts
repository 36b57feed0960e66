import type { Event } from "@fairlead/contract";

/** What somebody's view of a session has too few, too many, or otherwise than the journal. */
export interface Losses {
  readonly lost: number;
  readonly doubled: number;
  readonly altered: number;
}

export const noLosses: Losses = { lost: 0, doubled: 0, altered: 0 };

export function lossesOf(view: readonly Event[], journal: readonly Event[]): Losses {
  const seen = new Set(view.map(({ id }) => id));
  const lost = journal.filter(({ id }) => !seen.has(id)).length;
  const doubled = view.length - seen.size;
  const wanted = journal.map((event) => JSON.stringify(event));
  const altered = lost + doubled === 0 ? view.filter((event, at) => JSON.stringify(event) !== wanted[at]).length : 0;
  return { lost, doubled, altered };
}

export function addLosses(one: Losses, other: Losses): Losses {
  return {
    lost: one.lost + other.lost,
    doubled: one.doubled + other.doubled,
    altered: one.altered + other.altered,
  };
}

/** What is missing of, and too much for, `line 1` up to `line N` in each of so many floods, one after the other. */
export function floodLosses(journal: readonly Event[], lines: number, floods = 1): Losses {
  const texts = journal.flatMap(({ body }) => (body.type === "text.ended" ? [body.text] : []));
  const wanted = Array.from({ length: lines * floods }, (_, at) => `line ${(at % lines) + 1}`);
  return {
    lost: Math.max(0, wanted.length - texts.length),
    doubled: Math.max(0, texts.length - wanted.length),
    altered: texts.length === wanted.length ? texts.filter((text, at) => text !== wanted[at]).length : 0,
  };
}
