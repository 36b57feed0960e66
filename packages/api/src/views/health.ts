import { z } from "zod";

/** The health of the service. */
export const Health = z.strictObject({
  status: z.literal("ok"),
  version: z.string(),
  /** The version of the HTTP API. */
  api: z.literal("fairlead/1"),
  pid: z.int(),
  startedAt: z.iso.datetime(),
  /**
   * What happened to the data directory under the running service, and what to do: for example, the journal was removed.
   * The service then executes no command that would have to be stored. Null if nothing is wrong.
   */
  problem: z.string().nullable(),
  sessions: z.strictObject({
    working: z.int(),
    waiting: z.int(),
    idle: z.int(),
    paused: z.int(),
    lost: z.int(),
    damaged: z.int(),
  }),
  /** The state in which the service found the journal when it started. */
  journal: z.strictObject({
    /**
     * `clean`: the previous process closed the journal. After a crash: `intact` if nothing was lost, `unfinished` if only
     * an unacknowledged write was lost, `damaged` if acknowledged events were lost.
     */
    verdict: z.enum(["clean", "intact", "unfinished", "damaged"]),
    bytesDiscarded: z.int().nonnegative(),
  }),
});
export type Health = z.infer<typeof Health>;
