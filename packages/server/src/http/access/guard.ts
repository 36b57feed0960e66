import {
  bearerSubprotocol,
  createProblem,
  pathSegmentPattern,
  type Problem,
  type RouteScope,
  type Scope,
  scopes,
  scopesHeader,
} from "@fairlead/api";

/** The parts of a request that the guard decides on. */
export interface RequestFacts {
  /** The raw request target, before any normalization. */
  readonly target: string;
  readonly hasBody: boolean;
  /** Returns every value of a header. A duplicate header is more often an attack than a mistake. */
  header(name: string): readonly string[];
}

/** The permissions of a caller, and the label of its token. */
export interface Grant {
  /** Identifies the token; null for the owner. */
  readonly id: string | null;
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** The folders of the sessions that the caller reaches. Undefined: all folders. */
  readonly workspaces?: readonly string[] | undefined;
  /** When the token stops working. Undefined: never. */
  readonly expiresAt?: string | undefined;
}

/** The requests that one listener accepts. */
export interface AccessPolicy {
  /** Accepted `Host` values in lower case, each with its port. */
  readonly hosts: readonly string[];
  /** Accepted `Origin` values. */
  readonly origins: readonly string[];
  /** The grant of a caller without a token; null if a token is required. */
  readonly anonymous: Grant | null;
  findGrant(token: string): Grant | null;
  /** Tells a caller without a valid token how to get one. */
  readonly tokenHint?: string;
}

export type AccessDecision = { readonly grant: Grant } | { readonly refusal: Problem };

/**
 * Accepts a request or returns the reason for its rejection. Pure, and the same for a call and for an upgrade to a
 * WebSocket. `scope` is what the route requires, or null for an unknown route. The token is checked before the route, so
 * that only authorized callers learn which routes exist. The rules for names, origins and bodies apply to every route.
 */
export function guard(facts: RequestFacts, policy: AccessPolicy, scope: RouteScope | null): AccessDecision {
  const problem = findAddressProblem(facts, policy);
  if (problem !== null) return problem;
  const header = (name: string): string | undefined => facts.header(name)[0];
  if (isFromAnotherSite(facts)) return rejectRequest("Cross-site requests are not allowed.", 403);

  if (scope === "none") return findBodyRefusal(facts) ?? { grant: noGrant };

  const fullGrant = findGrant(readTokens(facts), policy);
  if (!fullGrant) return rejectRequest(`A valid token is required. ${policy.tokenHint ?? issueTokenHint}`, 401);
  const grant = narrowGrant(fullGrant, header(scopesHeader));
  if (!grant) return rejectRequest(`The header ${scopesHeader} names a scope that does not exist.`, 400);
  if (scope === null) return rejectRequest("No such route.", 404);
  if (scope !== "any" && !grant.scopes.includes(scope))
    return rejectRequest(`The token does not have the scope ${scope}.`, 403);
  return findBodyRefusal(facts) ?? { grant };
}

/** What a caller may do that has shown no token. */
const noGrant: Grant = { id: null, label: "unknown", scopes: [] };

function findBodyRefusal(facts: RequestFacts): AccessDecision | null {
  if (!facts.hasBody || isJsonMediaType(facts.header("content-type")[0])) return null;
  return rejectRequest("The body must be application/json.", 415);
}

/**
 * Returns why a request gets no file of the web page, or null. A file needs no token, because it is the same for everyone.
 * Another site may only link to the document, so it can neither frame the page nor find out which files it has.
 */
export function refusePageRequest(facts: RequestFacts, policy: AccessPolicy, isDocument: boolean): Problem | null {
  const decision = findAddressProblem(facts, policy);
  if (decision !== null) return decision.refusal;
  const [mode, destination] = ["sec-fetch-mode", "sec-fetch-dest"].map((name) => facts.header(name)[0]);
  const isLink = isDocument && mode === "navigate" && destination === "document";
  if (isFromAnotherSite(facts) && !isLink) return rejectRequest("Another site may only link to the page.", 403).refusal;
  return null;
}

/** Checks what every request must have: one spelling of its path, no repeated header, and the names of this service. */
function findAddressProblem(facts: RequestFacts, policy: AccessPolicy): { readonly refusal: Problem } | null {
  const [path = ""] = facts.target.split("?", 1);
  if (!isCanonicalPath(path)) return rejectRequest("The path is not in its canonical form.", 400);
  const duplicate = singletonHeaders.find((name) => facts.header(name).length > 1);
  if (duplicate) return rejectRequest(`The request has more than one ${duplicate} header.`, 400);
  const [host] = facts.header("host");
  if (!policy.hosts.includes(host?.toLowerCase() ?? ""))
    return rejectRequest("The Host header does not name this service.", 421);
  const [origin] = facts.header("origin");
  if (origin !== undefined && !policy.origins.includes(origin))
    return rejectRequest("Requests from this origin are not allowed.", 403);
  return null;
}

/** Whether a browser says that a page of another site, or of another port of this machine, made the request. */
function isFromAnotherSite(facts: RequestFacts): boolean {
  return !["same-origin", "none"].includes(facts.header("sec-fetch-site")[0] ?? "none");
}

const issueTokenHint = "Issue one with: fairlead token LABEL --scope read";
const singletonHeaders = [
  "host",
  "origin",
  "sec-fetch-site",
  "sec-fetch-mode",
  "sec-fetch-dest",
  "authorization",
  "content-type",
  scopesHeader,
];

/** A canonical path has one spelling, so the guard and the router always see the same route. */
function isCanonicalPath(path: string): boolean {
  return (
    path === "/" ||
    (path.startsWith("/") &&
      path
        .slice(1)
        .split("/")
        .every((segment) => pathSegmentPattern.test(segment)))
  );
}

/**
 * Reads tokens from the header or, for WebSockets in browsers, from the subprotocols. The query would end up in logs.
 */
function readTokens(facts: RequestFacts): string[] {
  const authorization = facts.header("authorization").map((value) => /^bearer +(\S+)$/i.exec(value)?.[1] ?? "");
  const offeredProtocols = facts.header("sec-websocket-protocol").flatMap((value) => value.split(","));
  const protocols = offeredProtocols
    .map((value) => value.trim())
    .filter((value) => value.startsWith(bearerSubprotocol));
  return [...authorization, ...protocols.map((value) => value.slice(bearerSubprotocol.length))];
}

/** A token must be valid even where none is required: a caller that sends one gets its scopes and not more. */
function findGrant(tokens: readonly string[], policy: AccessPolicy): Grant | null {
  const [token, ...more] = tokens;
  if (token === undefined) return policy.anonymous;
  return more.length === 0 ? policy.findGrant(token) : null;
}

/** Leaves a grant only the scopes that the caller keeps. Returns null if it names one that does not exist. */
function narrowGrant(grant: Grant, kept: string | undefined): Grant | null {
  if (kept === undefined) return grant;
  const names = kept.split(",").map((name) => name.trim());
  if (!names.every((name) => Object.hasOwn(scopes, name))) return null;
  return { ...grant, scopes: grant.scopes.filter((scope) => names.includes(scope)) };
}

function isJsonMediaType(type: string | undefined): boolean {
  return /^application\/json *(; *charset=utf-8)?$/i.test(type ?? "");
}

function rejectRequest(detail: string, status: 400 | 401 | 403 | 404 | 415 | 421): { refusal: Problem } {
  const code = status === 401 || status === 403 ? "not-allowed" : "invalid-request";
  return { refusal: createProblem(code, detail, status) };
}
