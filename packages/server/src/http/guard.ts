import { bearerSubprotocol, pathSegment, type Problem, problem, type Scope } from "@fairlead/api";

/** What is known of a request before anything is done with it. */
export interface RequestFacts {
  /** As it came, before anybody has tidied it up. */
  readonly target: string;
  readonly hasBody: boolean;
  /** Every value of a header, since two of a kind are an attack more often than a mistake. */
  header(name: string): readonly string[];
}

/** What a caller may do, and under which label. */
export interface Grant {
  readonly label: string;
  readonly scopes: readonly Scope[];
}

/** What is let in at one listener. */
export interface Policy {
  /** Names by which the service may be called, each with its port; lower case. */
  readonly hosts: readonly string[];
  /** Pages that may call it. */
  readonly origins: readonly string[];
  /** Whoever comes without a token; null where one is demanded. */
  readonly anonymous: Grant | null;
  find(token: string): Grant | null;
}

export type Verdict = { readonly grant: Grant } | { readonly refusal: Problem };

/**
 * Lets a request in or says why not. Pure, and the same for a call and for the upgrade to a WebSocket. `scope` is what
 * the route needs, or null when there is no such route: only those who are let in learn which there are.
 */
export function guard(facts: RequestFacts, policy: Policy, scope: Scope | null): Verdict {
  const [path = ""] = facts.target.split("?", 1);
  if (!isPlain(path)) return refuse("The path is not in its plain form.", 400);
  const twice = single.find((name) => facts.header(name).length > 1);
  if (twice) return refuse(`There may be one ${twice} header.`, 400);
  const one = (name: string): string | undefined => facts.header(name)[0];

  if (!policy.hosts.includes(one("host")?.toLowerCase() ?? ""))
    return refuse("That is not the name of this service.", 421);
  const origin = one("origin");
  if (origin !== undefined && !policy.origins.includes(origin)) return refuse("Not from that page.", 403);
  if (!["same-origin", "none"].includes(one("sec-fetch-site") ?? "none")) return refuse("Not from another site.", 403);

  const grant = grantOf(tokensOf(facts), policy);
  if (!grant) return refuse("A token is needed, and it must be one that was issued here.", 401);
  if (scope === null) return refuse("There is nothing here.", 404);
  if (!grant.scopes.includes(scope)) return refuse(`The token does not have the scope ${scope}.`, 403);
  if (facts.hasBody && !isJson(one("content-type"))) return refuse("A body must be application/json.", 415);
  return { grant };
}

const single = ["host", "origin", "sec-fetch-site", "authorization", "content-type"];

/** Plain paths have one spelling only; so what is checked is what is found. */
function isPlain(path: string): boolean {
  return (
    path === "/" ||
    (path.startsWith("/") &&
      path
        .slice(1)
        .split("/")
        .every((segment) => pathSegment.test(segment)))
  );
}

/** From the header or, for browsers' WebSockets, from the subprotocols. Never from the query, which ends up in logs. */
function tokensOf(facts: RequestFacts): string[] {
  const authorization = facts.header("authorization").map((value) => /^bearer +(\S+)$/i.exec(value)?.[1] ?? "");
  const offered = facts.header("sec-websocket-protocol").flatMap((value) => value.split(","));
  const protocols = offered.map((value) => value.trim()).filter((value) => value.startsWith(bearerSubprotocol));
  return [...authorization, ...protocols.map((value) => value.slice(bearerSubprotocol.length))];
}

/** A token that is given must be good, also where none is needed: whoever shows a lesser one is held to it. */
function grantOf(tokens: readonly string[], policy: Policy): Grant | null {
  const [token, ...more] = tokens;
  if (token === undefined) return policy.anonymous;
  return more.length === 0 ? policy.find(token) : null;
}

function isJson(type: string | undefined): boolean {
  return /^application\/json *(; *charset=utf-8)?$/i.test(type ?? "");
}

function refuse(detail: string, status: 400 | 401 | 403 | 404 | 415 | 421): Verdict {
  const code = status === 401 || status === 403 ? "not-allowed" : "invalid-request";
  return { refusal: problem(code, detail, status) };
}
