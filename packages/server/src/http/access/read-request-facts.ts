import type { IncomingMessage } from "node:http";
import type { RequestFacts } from "./guard.ts";

/** Reads what the guard decides on from a request as it arrived. */
export function readRequestFacts(request: IncomingMessage): RequestFacts {
  const { headers, headersDistinct } = request;
  return {
    target: request.url ?? "",
    hasBody: Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined,
    header: (name) => headersDistinct[name] ?? [],
  };
}
