import { z } from "zod";
import { Problem } from "../problem.ts";
import { DecisionView } from "./decision.ts";
import { SessionView } from "./session.ts";

/**
 * The number of ended sessions in an overview: those that were active last. Sessions that have not ended are all in it. The
 * pages of `sessions` have the others.
 */
export const overviewEndedSessions = 200;

/** How often a follower of the overview gets a frame at least, in milliseconds, also if nothing has changed. */
export const overviewHeartbeatMs = 2000;

/** The changes of the overview since the frame before. A reader applies them in the order of the frames. */
export const OverviewFrame = z.strictObject({
  /** Whether the reader must drop all that it knew: this frame begins the whole state again. */
  reset: z.boolean(),
  /** The sessions that are new or have changed, as lists show them. */
  sessions: z.array(SessionView),
  /** The ids of sessions that were forgotten, and of ended ones that are no longer among the newest. */
  removed: z.array(z.string()),
  /** The decisions of sessions and runs that were opened or have changed. */
  decisions: z.array(DecisionView),
  /** Decisions that are no longer open. */
  closed: z.array(z.strictObject({ session: z.string(), decision: z.string() })),
  /**
   * How many sessions are in each state, also those that the overview leaves out. A caller that is limited to workspaces
   * gets the number of those that were sent.
   */
  counts: z.record(SessionView.shape.state, z.int().nonnegative()),
  /** Whether the reader has the whole state with this frame. False while more frames of it follow. */
  caughtUp: z.boolean(),
  /** Where to resume after a lost connection: the `after` of the next request. */
  position: z.string(),
  /** The time of the service when it sent the frame, for ages and deadlines on a device whose clock is wrong. */
  now: z.iso.datetime().exactOptional(),
});
export type OverviewFrame = z.infer<typeof OverviewFrame>;

/** A message of the overview's WebSocket: a JSON object with one key, which gives its kind. */
export const OverviewMessage = z.union([
  z.strictObject({ overview: OverviewFrame }),
  /** The stream failed. This is its last message. */
  z.strictObject({ problem: Problem }),
]);
export type OverviewMessage = z.infer<typeof OverviewMessage>;

/** The query parameters of the overview. */
export const OverviewQuery = z.strictObject({
  /** The `position` of a frame: only what has changed since then, if that is known. */
  after: z.string().max(100).optional(),
});

/** Counts no session in any state. */
export function zeroCounts(): OverviewFrame["counts"] {
  const states = SessionView.shape.state.options.map((state) => [state, 0] as const);
  return Object.fromEntries(states) as OverviewFrame["counts"];
}
