import { z } from "zod";

/** Whether the service is well, and how it is. */
export const Health = z.strictObject({
  status: z.literal("ok"),
  version: z.string(),
  /** The version of this interface. */
  api: z.literal("fairlead/1"),
  pid: z.int(),
  startedAt: z.iso.datetime(),
  sessions: z.strictObject({ working: z.int(), waiting: z.int(), idle: z.int(), paused: z.int(), lost: z.int() }),
});
export type Health = z.infer<typeof Health>;
