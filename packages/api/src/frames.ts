import { type Delta as ContractDelta, ReadEvent, TerminalSize } from "@fairlead/contract";
import { z } from "zod";
import { Problem } from "./problem.ts";

/** The schema of the contract's type `Delta`. */
const deltaSchema: z.ZodType<ContractDelta> = z.strictObject({
  type: z.enum(["text.delta", "reasoning.delta", "screen"]),
  text: z.string(),
  parent: z.string().exactOptional(),
  size: TerminalSize.exactOptional(),
});

/** A message of an event stream: a JSON object with one key, which gives its kind. */
export const Frame = z.union([
  z.strictObject({ event: ReadEvent }),
  z.strictObject({ delta: deltaSchema }),
  /** The stream has sent all events that existed when it was opened, up to this sequence. The following ones are live. */
  z.strictObject({ caughtUp: z.int().nonnegative() }),
  /** The stream failed. This is its last frame. A retry would fail too, except after a failure that may pass: status 503. */
  z.strictObject({ problem: Problem }),
]);
export type Frame = z.infer<typeof Frame>;

/** A page of a session's events. */
export const EventPage = z.strictObject({
  events: z.array(ReadEvent),
  /** The value of `after` for the next page; null on the last page. */
  next: z.int().nullable(),
});
export type EventPage = z.infer<typeof EventPage>;

/** The range of `clip`. A shorter limit would cut times and digests. */
export const clipRange = { min: 100, max: 1_048_576 } as const;

/** The query parameters of a session's events. */
export const EventQuery = z.strictObject({
  after: z.coerce.number().pipe(z.int().nonnegative()).default(0),
  /** The maximum number of events on a page. Streams ignore it. */
  limit: z.coerce.number().pipe(z.int().min(1).max(1000)).default(1000),
  /** Cut texts of an event that are longer than this number of UTF-16 code units, and list them in its field `clipped`. */
  clip: z.coerce.number().pipe(z.int().min(clipRange.min).max(clipRange.max)).optional(),
  /** Also send deltas. Only streams send them. */
  deltas: z.stringbool().default(false),
});

/** The close codes of a WebSocket besides 1000 (the session has ended) and 1001 (the service is stopping). */
export const closeCodes = {
  /** The last frame was a problem. */
  problem: 4000,
  /** The client read too slowly. It can reconnect after its last sequence. */
  tooSlow: 4001,
} as const;

/** The WebSocket subprotocol. Browsers cannot set headers, so they offer their token as a second subprotocol. */
export const subprotocol = "fairlead.v1";
export const bearerSubprotocol = "fairlead.bearer.";
