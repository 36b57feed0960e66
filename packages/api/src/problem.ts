import { type ErrorCode, errorCodes, FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** What went wrong, as RFC 9457 has it (`application/problem+json`). Callers decide by `code`; people read `detail`. */
export const Problem = z.object({
  /** `urn:fairlead:problem:` and the code. */
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
});
export type Problem = z.infer<typeof Problem>;

export const problemMedia = "application/problem+json";

/** The status and the title of each code: the one place that knows. */
const problems: Readonly<Record<ErrorCode, readonly [status: number, title: string]>> = {
  "invalid-request": [400, "The request makes no sense"],
  "not-allowed": [403, "Not allowed"],
  "session-not-found": [404, "There is no such session"],
  "session-ended": [409, "The session has ended"],
  "session-paused": [409, "The session is paused"],
  "session-not-paused": [409, "The session is not paused"],
  "no-open-turn": [409, "No turn is going on"],
  "decision-not-open": [409, "The decision is not open"],
  "taken-over": [409, "A person drives it in the agent's own terminal"],
  "not-taken-over": [409, "Nobody has taken it over"],
  "no-conversation": [409, "There is no conversation to go on with"],
  fenced: [409, "Another process has taken the session over"],
  indeterminate: [409, "Nobody can know any more whether it was done"],
  // What the draft on idempotency keys asks for: another command under the same key is not a matter of when.
  conflict: [422, "The key was used for another command"],
  "invalid-settings": [422, "The settings are not accepted"],
  "unknown-agent": [422, "There is no such agent"],
  "not-installed": [422, "The agent is not installed"],
  "not-supported": [422, "The agent cannot do that"],
  corrupt: [500, "What is stored cannot be read"],
  "not-started": [502, "The agent could not be started"],
  unavailable: [503, "Not available"],
  "timed-out": [504, "It took too long"],
};

/** The problem of a code; a status of its own is for refusals that HTTP has a closer word for. */
export function problem(code: ErrorCode, detail: string, status?: number): Problem {
  const [usual, title] = problems[code];
  return { type: `urn:fairlead:problem:${code}`, title, status: status ?? usual, detail, code };
}

/** What may be told of an error. One that is not ours was not meant to be read by others: it belongs into the log. */
export function problemOf(error: unknown): Problem {
  if (FairleadError.isInstance(error)) return problem(error.code, error.message);
  return problem("unavailable", "The service failed at this; its log says why.", 500);
}

/** The way back: the error that a problem was made of. Where only a status came through, that must do. */
export function errorOf(told: unknown, status: number): FairleadError {
  const parsed = Problem.safeParse(told);
  if (parsed.success) return new FairleadError(parsed.data.code, parsed.data.detail);
  const code = status === 401 || status === 403 ? "not-allowed" : status < 500 ? "invalid-request" : "unavailable";
  return new FairleadError(code, `The answer was the status ${status}, and no more.`);
}
