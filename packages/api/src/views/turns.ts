import { TurnSummary } from "@fairlead/contract";
import { z } from "zod";

/** Which turns of a session to list. */
export const TurnQuery = z.strictObject({
  /** Only turns with a smaller number: the `next` of the page that follows it. Default: the newest turns. */
  before: z.coerce.number().pipe(z.int().positive()).optional(),
  /** The maximum number of turns on a page. Default: 100. */
  limit: z.coerce.number().pipe(z.int().min(1).max(1000)).optional(),
});
export type TurnQuery = z.infer<typeof TurnQuery>;

/** A page of the turns of a session, in their order. */
export const TurnPage = z.strictObject({
  turns: z.array(TurnSummary),
  /** The value of `before` for the page of the turns before these; null if the page has the first turn. */
  next: z.int().positive().nullable(),
  /** The number of turns that the session has. */
  count: z.int().nonnegative(),
  /** The sequence of the newest event that the outline knows. */
  last: z.int().nonnegative(),
});
export type TurnPage = z.infer<typeof TurnPage>;
