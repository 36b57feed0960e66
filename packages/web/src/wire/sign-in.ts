import type { GrantView, SignedInView } from "@fairlead/api";
import { browserTransport, exchangeCode, RemoteFairlead } from "@fairlead/client";
import { FairleadError } from "@fairlead/contract";
import { dropToken, keepGrant, keepToken, readKeptGrant, readToken, takeCode, type TokenPlaces } from "./token.ts";

/** Why the page has no access: it never had a token, its code or its token was refused, or the service did not answer. */
export type RefusalKind = "no-token" | "code-refused" | "token-refused" | "unavailable";

export type SignIn =
  | { readonly type: "accepted"; readonly token: string; readonly grant: GrantView }
  | { readonly type: "refused"; readonly kind: RefusalKind; readonly reason: string };

/** The requests to the service without which there is no access. */
export interface AccessRequests {
  exchange(code: string): Promise<SignedInView>;
  readGrant(token: string): Promise<GrantView>;
}

/** Exchanges the code in the address, or finds the token that the page has kept, and asks what it permits. */
export async function signIn(
  places: TokenPlaces = browserPlaces(),
  requests: AccessRequests = serviceRequests(places.location.origin),
): Promise<SignIn> {
  const code = takeCode(places);
  let codeRefusal: SignIn | null = null;
  if (code !== null) {
    try {
      const { token, persistent, grant } = await requests.exchange(code);
      keepToken(places, token, persistent);
      keepGrant(places, token, grant);
      return { type: "accepted", token, grant };
    } catch (error) {
      // A page that already has access needs no code: a person opened the same address again.
      codeRefusal = describeRefusal(error, "code-refused");
    }
  }
  const token = readToken(places);
  if (token === null) return codeRefusal ?? noToken;
  try {
    const grant = await requests.readGrant(token);
    keepGrant(places, token, grant);
    return { type: "accepted", token, grant };
  } catch (error) {
    const refusal = describeRefusal(error, "token-refused");
    if (refusal.kind === "token-refused") dropToken(places, token);
    return codeRefusal ?? refusal;
  }
}

/**
 * Returns the token that the page has kept, without asking whether it is still valid; null if a code is to be exchanged
 * first. With it the page shows the sessions one answer of the service earlier.
 */
export function peekToken(places: TokenPlaces = browserPlaces()): string | null {
  return places.location.hash.includes("code=") ? null : readToken(places);
}

/** Returns what a token permitted when the service last said so; null if the page has never asked. */
export function peekGrant(token: string, places: TokenPlaces = browserPlaces()): GrantView | null {
  return readKeptGrant(places, token);
}

/** Keeps a token that a person has typed, for this tab, and asks what it permits. */
export async function signInWithToken(
  token: string,
  places: TokenPlaces = browserPlaces(),
  requests: AccessRequests = serviceRequests(places.location.origin),
): Promise<SignIn> {
  // Other characters can be in no header, so that the browser would refuse the request.
  if (!/^[\w-]+$/.test(token))
    return { type: "refused", kind: "token-refused", reason: "This is not a token. A token begins with fl_." };
  keepToken(places, token, false);
  return await signIn(places, requests);
}

type Refused = Extract<SignIn, { type: "refused" }>;

const noToken: Refused = { type: "refused", kind: "no-token", reason: "This tab has no access yet." };

function describeRefusal(error: unknown, kind: "code-refused" | "token-refused"): Refused {
  if (FairleadError.is(error, "unavailable"))
    return {
      type: "refused",
      kind: "unavailable",
      reason: "Fairlead does not answer. Start it, and reload this page.",
    };
  if (kind === "token-refused")
    return {
      type: "refused",
      kind,
      reason:
        "The service does not accept the token of this page. It was revoked, has expired, or is not a token of this service.",
    };
  const reason = FairleadError.isInstance(error) ? error.message : "The code was not accepted.";
  return { type: "refused", kind, reason };
}

function browserPlaces(): TokenPlaces {
  return { location, history, tab: storageOf(() => sessionStorage), device: storageOf(() => localStorage) };
}

/** Reads the storage at each use, because a browser that blocks it throws when it is read. */
function storageOf(read: () => Storage): TokenPlaces["tab"] {
  return {
    getItem: (key) => read().getItem(key),
    setItem: (key, value) => read().setItem(key, value),
    removeItem: (key) => read().removeItem(key),
  };
}

function serviceRequests(origin: string): AccessRequests {
  return {
    exchange: (code) => exchangeCode(origin, code),
    readGrant: (token) => new RemoteFairlead(browserTransport(origin, token)).grant(),
  };
}
