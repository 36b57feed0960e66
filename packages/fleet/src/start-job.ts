import { StartRequest } from "@fairlead/api";
import { errorCodes } from "@fairlead/contract";
import { z } from "zod";
import { SentOptions } from "./method-call.ts";

/** The pool of hosts that take starts, unless a gateway or a host names another one. */
export const defaultPool = "default";

/** The kind of a job that starts a session. */
export const startJobKind = "start";

/** What a gateway puts into the queue to start a session. */
export const StartJob = z.strictObject({
  /** Identifies the job: all callers with one key get the outcome of the job that was put first. */
  id: z.string(),
  request: StartRequest,
  /** Identifies the request, so that a key is not used for another one. */
  digest: z.string(),
  /** With the caller's idempotency key, or one of the gateway. The id of the session follows from it. */
  options: SentOptions.extend({ key: z.string() }),
  /** The time after which no host begins the start: its caller has given up. */
  expiresAt: z.iso.datetime(),
});
export type StartJob = z.infer<typeof StartJob>;

/** What a host stores as the outcome of a start. The session's view is read when it is needed: it changes. */
export const StartOutcome = z.strictObject({
  /** The id of the job. */
  job: z.string().optional(),
  digest: z.string().optional(),
  session: z.string().optional(),
  /** Whether another host has the session, so that the host does not know whether its prompt was sent. */
  isPromptUnknown: z.boolean().optional(),
  problem: z.strictObject({ code: z.enum(errorCodes), message: z.string() }).optional(),
});
export type StartOutcome = z.infer<typeof StartOutcome>;
