import { z } from "zod";

/** What went wrong while an agent worked, in words that do not depend on the vendor. */
export const ErrorCategory = z.enum([
  /** The model's service refused the request as malformed or not permitted (HTTP 4xx but those below). */
  "bad-request",
  /** No credential, or one that was refused. */
  "not-authenticated",
  /** Too many requests, or a quota is used up. */
  "rate-limited",
  /** The model's service failed (HTTP 5xx). */
  "provider-failed",
  /** The model's service could not be reached. */
  "unreachable",
  /** The connection broke in the middle of an answer. */
  "connection-lost",
  /** A limit that we set was reached. */
  "limit-reached",
  /** The agent does not know the conversation that it was asked to resume. */
  "session-not-found",
  /** The agent's process could not be started. */
  "not-started",
  /** The agent's process died. */
  "agent-died",
  /** A deadline of ours passed. */
  "timed-out",
  /** A command ended with an exit code that does not count as success. */
  "command-failed",
  /** A command that the settings do not allow; it was not run. */
  "not-allowed",
  "unknown",
]);
export type ErrorCategory = z.infer<typeof ErrorCategory>;
