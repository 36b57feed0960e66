import type { Event } from "@fairlead/contract";

/** Events that a client's view lacks, has twice, or has different from the journal. */
export interface ViewLosses {
  readonly lost: number;
  readonly doubled: number;
  readonly altered: number;
}

export const noLosses: ViewLosses = { lost: 0, doubled: 0, altered: 0 };

export function countLosses(view: readonly Event[], journal: readonly Event[]): ViewLosses {
  const seen = new Set(view.map(({ id }) => id));
  const lost = journal.filter(({ id }) => !seen.has(id)).length;
  const doubled = view.length - seen.size;
  const expected = journal.map((event) => JSON.stringify(event));
  const altered = lost + doubled === 0 ? view.filter((event, at) => JSON.stringify(event) !== expected[at]).length : 0;
  return { lost, doubled, altered };
}

export function addLosses(one: ViewLosses, other: ViewLosses): ViewLosses {
  return {
    lost: one.lost + other.lost,
    doubled: one.doubled + other.doubled,
    altered: one.altered + other.altered,
  };
}

/** Missing and surplus lines among `line 1` to `line N` of several consecutive floods. */
export function countFloodLosses(journal: readonly Event[], lines: number, floods = 1): ViewLosses {
  const texts = journal.flatMap(({ body }) => (body.type === "text.ended" ? [body.text] : []));
  const expected = Array.from({ length: lines * floods }, (_, at) => `line ${(at % lines) + 1}`);
  return {
    lost: Math.max(0, expected.length - texts.length),
    doubled: Math.max(0, texts.length - expected.length),
    altered: texts.length === expected.length ? texts.filter((text, at) => text !== expected[at]).length : 0,
  };
}
