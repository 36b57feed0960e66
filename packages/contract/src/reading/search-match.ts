import { z } from "zod";
import { endBefore } from "../event-size.ts";
import type { Event } from "../event.ts";
import { visibleTexts } from "./visible-texts.ts";

/** The longest text that can be searched for, in UTF-16 code units. */
export const maxSearchTextLength = 200;
const maxExcerptLength = 200;
/** How much of the excerpt is before the match. The text after it says more about it. */
const lengthBefore = 60;

/** An event that has a text. It is one match, however often the event has the text. */
export const SearchMatch = z.strictObject({
  sequence: z.int().positive(),
  /** The turn that the event belongs to, or null if none was open. */
  turn: z.string().nullable(),
  /** The type of the event. */
  kind: z.string(),
  /** The text around the first match of the event, as one line. */
  excerpt: z.string(),
  /** Where the match begins in the excerpt, in UTF-16 code units. */
  offset: z.int().nonnegative(),
  length: z.int().positive(),
});
export type SearchMatch = z.infer<typeof SearchMatch>;

/** Returns a function that looks for a text in the texts of an event that a person sees. Letters match in both cases. */
export function createEventMatcher(text: string): (event: Event) => SearchMatch | null {
  // An expression of literal signs folds each letter without a change of length, so that offsets stay right.
  const pattern = new RegExp(escapePattern(text), "iu");
  return ({ body, sequence, turn }) => {
    for (const candidate of visibleTexts(body)) {
      const found = pattern.exec(candidate);
      if (found !== null)
        return { sequence, turn, kind: body.type, ...cutExcerpt(candidate, found.index, found[0].length) };
    }
    return null;
  };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
}

function cutExcerpt(text: string, start: number, length: number): Pick<SearchMatch, "excerpt" | "offset" | "length"> {
  const end = start + length;
  const left = Math.max(0, maxExcerptLength - length);
  const from = startAfter(text, Math.max(0, start - Math.min(lengthBefore, left)));
  const before = toLine(text.slice(from, start)).trimStart();
  const to = Math.min(text.length, end + left - before.length);
  const after = toLine(text.slice(end, to === text.length ? to : Math.max(end, endBefore(text, to)))).trimEnd();
  // Of the match itself, each sign keeps its place.
  const match = text.slice(start, end).replaceAll(/[\s\p{Cc}]/gu, " ");
  return { excerpt: before + match + after, offset: before.length, length };
}

/** Returns the position, or the one after it if that would split a surrogate pair. */
function startAfter(text: string, position: number): number {
  return endBefore(text, position) === position ? position : position + 1;
}

function toLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}
