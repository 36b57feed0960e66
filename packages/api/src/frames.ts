import { type Delta as ContractDelta, Event } from "@fairlead/contract";
import { z } from "zod";
import { Problem } from "./problem.ts";

/** Text on its way, as a schema; the type is the contract's. */
const Delta: z.ZodType<ContractDelta> = z.strictObject({
  type: z.enum(["text.delta", "reasoning.delta", "screen"]),
  text: z.string(),
  parent: z.string().exactOptional(),
});

/** What goes over a stream of events: one JSON a message, each with one key that says what it is. */
export const Frame = z.union([
  z.strictObject({ event: Event }),
  z.strictObject({ delta: Delta }),
  /** What there was when the stream was opened is told up to this number; from here on it is live. */
  z.strictObject({ caughtUp: z.int().nonnegative() }),
  /** The stream cannot go on, and trying again will not help. The last of its frames. */
  z.strictObject({ problem: Problem }),
]);
export type Frame = z.infer<typeof Frame>;

/** Events asked for once. */
export const EventPage = z.strictObject({
  events: z.array(Event),
  /** The number to ask after for more; null when that was all there is by now. */
  next: z.int().nullable(),
});
export type EventPage = z.infer<typeof EventPage>;

/** What may be asked of a session's events, in the query. */
export const EventQuery = z.strictObject({
  after: z.coerce.number().pipe(z.int().nonnegative()).default(0),
  /** Of a page. */
  limit: z.coerce.number().pipe(z.int().min(1).max(1000)).default(1000),
  /** Let text on its way through as well; only on a stream. */
  deltas: z.stringbool().default(false),
});

/** Why the service closed a WebSocket, apart from 1000 (the session is over) and 1001 (the service is ending). */
export const closeCodes = {
  /** The last frame was a problem. */
  problem: 4000,
  /** The reader did not drain what was sent; it may go on from its last number. */
  tooSlow: 4001,
} as const;

/** What a WebSocket speaks; a browser, which cannot set headers, offers its token beside it. */
export const subprotocol = "fairlead.v1";
export const bearerSubprotocol = "fairlead.bearer.";
