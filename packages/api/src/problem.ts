import { type ErrorCode, errorCodes, FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** An error as in RFC 9457 (`application/problem+json`). Programs use `code`, people read `detail`. */
export const Problem = z.object({
  /** `urn:fairlead:problem:` and the code. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
});
export type Problem = z.infer<typeof Problem>;

export const problemMediaType = "application/problem+json";

/** The HTTP status and the title of each error code. */
const problemDefinitions: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  "invalid-request": [400, "Invalid request"],
  "not-allowed": [403, "Not allowed"],
  "session-not-found": [404, "Session not found"],
  "session-ended": [409, "The session has ended"],
  "session-paused": [409, "The session is paused"],
  "session-not-paused": [409, "The session is not paused"],
  "no-open-turn": [409, "No turn is running"],
  "input-closed": [409, "The agent has closed its input"],
  "decision-not-open": [409, "The decision is not open"],
  "taken-over": [409, "A person controls the session in the agent's terminal"],
  "not-taken-over": [409, "The session is not taken over"],
  "no-conversation": [409, "There is no conversation to continue"],
  "limit-reached": [409, "The session has reached its limit"],
  fenced: [409, "Another process has taken the session over"],
  indeterminate: [409, "The outcome of the command is unknown"],
  // The IETF draft on the Idempotency-Key header asks for 422: repeating the request later would not help.
  conflict: [422, "The request conflicts with another"],
  "too-large": [413, "The message is too large"],
  "invalid-settings": [422, "The settings are not accepted"],
  "unknown-agent": [422, "Unknown agent"],
  "not-installed": [422, "The agent is not installed"],
  "not-supported": [422, "The agent does not support this"],
  corrupt: [500, "Stored data cannot be read"],
  "adapter-failed": [502, "The agent's adapter failed"],
  "not-started": [502, "The agent could not be started"],
  // A client that does not know the code takes it for `unavailable`, because of the status.
  "input-full": [503, "The terminal's input is full"],
  unavailable: [503, "Not available"],
  "timed-out": [504, "Timed out"],
};

/** Creates the problem for an error code. `status` replaces the default when HTTP has a more specific one. */
export function createProblem(code: ErrorCode, detail: string, status?: number): Problem {
  const [defaultStatus, title] = problemDefinitions[code];
  return { type: `urn:fairlead:problem:${code}`, title, status: status ?? defaultStatus, detail, code };
}

/** Converts an error to a problem. The message of an unexpected error may contain secrets, so it goes only to the log. */
export function problemFromError(error: unknown): Problem {
  if (FairleadError.isInstance(error)) return createProblem(error.code, error.message);
  return createProblem("unavailable", "Internal error. The log of the service has the details.", 500);
}

/** Converts a problem back to an error. Derives the code from the status if the body is not a problem. */
export function errorFromProblem(body: unknown, status: number): FairleadError {
  if (isProblem(body)) return new FairleadError(body.code, body.detail);
  const code = status === 401 || status === 403 ? "not-allowed" : status < 500 ? "invalid-request" : "unavailable";
  return new FairleadError(code, `The service replied with status ${status} and no details.`);
}

/** Without the schema, which the web page would load for it before its first view. */
function isProblem(body: unknown): body is Pick<Problem, "code" | "detail"> {
  const { code, detail } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return typeof detail === "string" && errorCodes.some((known) => known === code);
}
