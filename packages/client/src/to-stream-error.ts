import { errorFromProblem, type Problem } from "@fairlead/api";
import { ServiceUnavailable } from "./service-unavailable.ts";

/** The status of a failure that may pass. */
const unavailableStatus = 503;

/** Returns the error for the problem that ended a stream. After one that may pass, the client connects again. */
export function toStreamError(problem: Problem): Error {
  const error = errorFromProblem(problem, problem.status);
  return problem.status === unavailableStatus ? new ServiceUnavailable(error.message, { cause: error }) : error;
}
