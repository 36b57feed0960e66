import {
  bearerSubprotocol,
  createProblem,
  pathSegmentPattern,
  type Problem,
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
 * WebSocket. `scope` is the scope that the route requires, or null for an unknown route. The token is checked before
 * the route, so that only authorized callers learn which routes exist.
 */
export function guard(facts: RequestFacts, policy: AccessPolicy, scope: Scope | null): AccessDecision {
  const [path = ""] = facts.target.split("?", 1);
  if (!isCanonicalPath(path)) return rejectRequest("The path is not in its canonical form.", 400);
  const duplicate = singletonHeaders.find((name) => facts.header(name).length > 1);
  if (duplicate) return rejectRequest(`The request has more than one ${duplicate} header.`, 400);
  const header = (name: string): string | undefined => facts.header(name)[0];

  if (!policy.hosts.includes(header("host")?.toLowerCase() ?? ""))
    return rejectRequest("The Host header does not name this service.", 421);
  const origin = header("origin");
  if (origin !== undefined && !policy.origins.includes(origin))
    return rejectRequest("Requests from this origin are not allowed.", 403);
  if (!["same-origin", "none"].includes(header("sec-fetch-site") ?? "none"))
    return rejectRequest("Cross-site requests are not allowed.", 403);

  const fullGrant = findGrant(readTokens(facts), policy);
  if (!fullGrant) return rejectRequest(`A valid token is required. ${policy.tokenHint ?? issueTokenHint}`, 401);
  const grant = narrowGrant(fullGrant, header(scopesHeader));
  if (!grant) return rejectRequest(`The header ${scopesHeader} names a scope that does not exist.`, 400);
  if (scope === null) return rejectRequest("No such route.", 404);
  if (!grant.scopes.includes(scope)) return rejectRequest(`The token does not have the scope ${scope}.`, 403);
  if (facts.hasBody && !isJsonMediaType(header("content-type")))
    return rejectRequest("The body must be application/json.", 415);
  return { grant };
}

const issueTokenHint = "Issue one with: fairlead token LABEL --scope read";
const singletonHeaders = ["host", "origin", "sec-fetch-site", "authorization", "content-type", scopesHeader];

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

function rejectRequest(detail: string, status: 400 | 401 | 403 | 404 | 415 | 421): AccessDecision {
  const code = status === 401 || status === 403 ? "not-allowed" : "invalid-request";
  return { refusal: createProblem(code, detail, status) };
}
