import type { SearchPage } from "@fairlead/api";

/** How far a search in a session has come. */
export interface FindProgress {
  readonly text: string;
  /** The newest first. */
  readonly matches: SearchPage["matches"];
  /** The place of the shown match; -1 before the first one. */
  readonly at: number;
  /** Where the search continues; undefined before the first page, and null at the beginning of the session. */
  readonly next: number | null | undefined;
}

export function startFind(text: string): FindProgress {
  return { text, matches: [], at: -1, next: undefined };
}

/** Adds a page of older matches. */
export function withOlder(progress: FindProgress, { matches, next }: SearchPage): FindProgress {
  return { ...progress, matches: [...progress.matches, ...matches], next };
}

/** Moves to the match before or after the shown one in time. Stays where there is none. */
export function moveFind(progress: FindProgress, to: "older" | "newer"): FindProgress {
  const { at, matches } = progress;
  const moved = to === "older" ? Math.min(at + 1, matches.length - 1) : Math.max(at - 1, 0);
  return matches.length === 0 ? progress : { ...progress, at: moved };
}

/** Whether the match before the shown one has to be searched for. */
export function needsOlder({ at, matches, next }: FindProgress): boolean {
  return at + 1 >= matches.length && next !== null;
}

/** Says which match is shown, of how many, and whether the beginning of the session was reached. */
export function describeFind({ text, at, matches, next }: FindProgress, isSearching: boolean): string {
  if (text === "") return "";
  if (matches.length === 0) {
    if (isSearching) return next === undefined || next === null ? "Searching…" : `Searching before #${next}…`;
    return next === null ? "Not found, searched to the beginning" : "";
  }
  const place = `${at + 1} of ${matches.length}${next === null ? "" : "+"}`;
  if (isSearching && at + 1 >= matches.length) return `${place}, searching…`;
  return next === null && at + 1 === matches.length ? `${place}, the oldest` : place;
}
