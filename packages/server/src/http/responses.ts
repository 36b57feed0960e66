import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Problem, problemMediaType } from "@fairlead/api";
import { acceptsEncoding } from "./page/accepts-encoding.ts";

/** Keeps caches from storing a response that is for its caller only, and browsers from guessing its media type. */
export const privateHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** The size from which JSON is compressed, in characters. A smaller body is one or two packets anyway. */
const compressedFrom = 8 << 10;
/** Most of the gain is at the lowest level: a list of sessions or a page of events repeats the names of its fields. */
const gzipLevel = 1;
const compress = promisify(gzip);

/**
 * Answers with JSON, compressed if it is large and the caller accepts that. A caller of another site cannot measure the size
 * of a response that has a secret in it, because the guard refuses its requests.
 */
export async function jsonResponse(value: unknown, acceptedEncodings?: string): Promise<Response> {
  const text = JSON.stringify(value);
  const headers = { ...privateHeaders, "content-type": "application/json" };
  if (text.length < compressedFrom) return new Response(text, { headers });
  const vary = { ...headers, vary: "accept-encoding" };
  if (!acceptsEncoding(acceptedEncodings, "gzip")) return new Response(text, { headers: vary });
  const body = await compress(text, { level: gzipLevel });
  return new Response(body, { headers: { ...vary, "content-encoding": "gzip" } });
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
