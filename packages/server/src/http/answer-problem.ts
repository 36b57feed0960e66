import { type Problem, problemMedia } from "@fairlead/api";

/** What is answered is for the caller alone, and nothing but what it says it is. */
export const quiet = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function answerProblem(told: Problem): Response {
  const headers = {
    ...quiet,
    "content-type": problemMedia,
    ...(told.status === 401 && { "www-authenticate": "Bearer" }),
    ...(told.status === 429 && { "retry-after": "1" }),
  };
  return new Response(JSON.stringify(told), { status: told.status, headers });
}
