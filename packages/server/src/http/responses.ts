import { type Problem, problemMediaType } from "@fairlead/api";

/** Keeps caches from storing a response that is for its caller only, and browsers from guessing its media type. */
export const privateHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function jsonResponse(value: unknown): Response {
  return Response.json(value, { headers: privateHeaders });
}

export function problemResponse(problem: Problem): Response {
  const headers = {
    ...privateHeaders,
    "content-type": problemMediaType,
    ...(problem.status === 401 && { "www-authenticate": "Bearer" }),
    ...(problem.status === 429 && { "retry-after": "1" }),
  };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}
