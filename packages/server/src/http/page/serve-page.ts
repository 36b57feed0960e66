import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createProblem, type Problem } from "@fairlead/api";
import { readRequestFacts } from "../access/read-request-facts.ts";
import type { RequestFacts } from "../access/guard.ts";
import { problemResponse } from "../responses.ts";
import { acceptsEncoding } from "./accepts-encoding.ts";
import { createPageHeaders } from "./page-headers.ts";
import type { PageAsset } from "./page-files.ts";
import type { PageSource } from "./page-source.ts";

/** A page, and the guard of the listener that serves it. */
export interface ServedPage {
  readonly source: PageSource;
  /** Returns why a request gets no file, or null. `isDocument` is false for code, styles and icons. */
  readonly refuse: (facts: RequestFacts, isDocument: boolean) => Problem | null;
}

/** The build writes this word where a nonce belongs. */
const noncePlaceholder = "fairlead-nonce";

/**
 * Whether a path belongs to the page. Every version of the API keeps its paths, so that a client of a later version gets a
 * problem and not a document.
 */
export function isPagePath(target: string): boolean {
  return !/^\/(v\d+|healthz)([/?]|$)/.test(target);
}

/** Answers with a file of the page, or with its document for every path that names no file: the page reads the path. */
export function servePage(incoming: IncomingMessage, { source, refuse }: ServedPage): Response {
  const facts = readRequestFacts(incoming);
  const [path = ""] = facts.target.split("?", 1);
  const files = source.read();
  const asset = files?.assets.get(path);
  const isDocument = asset === undefined && !/^\/assets(\/|$)/.test(path);
  const refusal = refuse(facts, isDocument);
  if (refusal !== null) return problemResponse(refusal);
  if (!["GET", "HEAD"].includes(incoming.method ?? "")) return refuseMethod();
  if (incoming.headers.upgrade !== undefined) return notFound("This path has no WebSocket.");
  if (asset !== undefined) return assetResponse(asset, incoming.headers["accept-encoding"]);
  if (!isDocument) return notFound("The page has no such file.");
  return documentResponse(files?.document ?? null);
}

function documentResponse(document: string | null): Response {
  const nonce = randomBytes(16).toString("base64");
  const body = (document ?? missingPage).replaceAll(noncePlaceholder, nonce);
  const headers = {
    ...createPageHeaders(nonce),
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  };
  return new Response(body, { status: document === null ? 503 : 200, headers });
}

function assetResponse(
  { bytes, compressed, mediaType, isImmutable }: PageAsset,
  accepted: string | undefined,
): Response {
  const [encoding, body] = compressed.find(([name]) => acceptsEncoding(accepted, name)) ?? [undefined, bytes];
  const headers = {
    ...createPageHeaders(),
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-type": mediaType,
    ...(compressed.length > 0 && { vary: "accept-encoding" }),
    ...(encoding !== undefined && { "content-encoding": encoding }),
  };
  return new Response(body, { headers });
}

function refuseMethod(): Response {
  const response = problemResponse(createProblem("invalid-request", "The page answers only GET and HEAD.", 405));
  response.headers.set("allow", "GET, HEAD");
  return response;
}

function notFound(detail: string): Response {
  return problemResponse(createProblem("invalid-request", detail, 404));
}

const missingPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="color-scheme" content="dark light" />
    <title>Fairlead</title>
  </head>
  <body>
    <h1>The page is not built</h1>
    <p>This service runs from a clone of the repository. To build the page, run this command in it, and load this page again:</p>
    <pre>npm run build</pre>
  </body>
</html>
`;
