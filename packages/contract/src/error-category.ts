import { z } from "zod";

/** Category of a failure while an agent works. The categories do not depend on the vendor. */
export const ErrorCategory = z.enum([
  /** The model's service refused the request as malformed or not permitted (HTTP 4xx except those below). */
  "bad-request",
  /** No credential, or the service refused it. */
  "not-authenticated",
  /** Too many requests, or a quota is exhausted. */
  "rate-limited",
  /** The model's service failed (HTTP 5xx). */
  "provider-failed",
  /** The model's service could not be reached. */
  "unreachable",
  /** The connection broke during an answer. */
  "connection-lost",
  /** A limit that Fairlead set was reached. */
  "limit-reached",
  /** The agent does not know the conversation to resume. */
  "session-not-found",
  /** Another process of the agent has the conversation open. */
  "conversation-in-use",
  /** The agent's process could not be started. */
  "not-started",
  /** The agent's process died. */
  "agent-died",
  /** A deadline that Fairlead set passed. */
  "timed-out",
  /** A command ended with an exit code that does not count as success. */
  "command-failed",
  /** The settings do not allow the command; it was not run. */
  "not-allowed",
  "unknown",
]);
export type ErrorCategory = z.infer<typeof ErrorCategory>;
