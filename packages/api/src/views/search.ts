import { maxSearchTextLength, SearchMatch } from "@fairlead/contract";
import { z } from "zod";

/** What to look for in a session. */
export const SearchQuery = z.strictObject({
  /** The text, in upper or lower case. It has no signs with a meaning. */
  text: z.string().min(1).max(maxSearchTextLength),
  /** Only events with a smaller sequence: the `next` of the page of newer matches. Default: the newest events. */
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  /** The maximum number of matches on a page. Default: 100. */
  limit: z.coerce.number().pipe(z.int().min(1).max(100)).optional(),
});
export type SearchQuery = z.infer<typeof SearchQuery>;

/** A page of the events of a session that have a text, the newest first. It may be empty although older events have it. */
export const SearchPage = z.strictObject({
  matches: z.array(SearchMatch),
  /** The value of `before` for the next page: all events from it on were searched. Null if the session was, to its beginning. */
  next: z.int().positive().nullable(),
});
export type SearchPage = z.infer<typeof SearchPage>;
