import type { GrantView } from "@fairlead/api";

/** The name under which the page keeps its token. */
export const tokenKey = "fairlead.token";

/** The name under which it keeps what the token permits, beside the token. */
const grantKey = "fairlead.grant";

/** What the page keeps its token in. */
export type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The parts of a browser that have the code and the token. */
export interface TokenPlaces {
  readonly location: Pick<Location, "origin" | "pathname" | "search" | "hash">;
  readonly history: Pick<History, "state" | "replaceState">;
  /** Ends with the tab. */
  readonly tab: KeyValueStorage;
  /** Outlives the browser. */
  readonly device: KeyValueStorage;
}

/**
 * Reads the one-time code from the fragment of the address, and removes it there: the address is shown, copied and kept in
 * the history. Returns null if there is none.
 */
export function takeCode({ location, history }: Pick<TokenPlaces, "location" | "history">): string | null {
  const parts = location.hash.replace(/^#/, "").split("&");
  const found = parts.find((part) => part.startsWith("code="));
  if (found === undefined) return null;
  const rest = parts.filter((part) => !part.startsWith("code=")).join("&");
  // With the origin, because a path that begins with two slashes would name another one.
  const address = `${location.origin}${location.pathname}${location.search}${rest === "" ? "" : `#${rest}`}`;
  history.replaceState(history.state, "", address);
  return found.slice("code=".length);
}

/** Returns the token of the tab, or else that of the device. */
export function readToken({ tab, device }: Pick<TokenPlaces, "tab" | "device">): string | null {
  return ignoreBlocked(() => tab.getItem(tokenKey)) ?? ignoreBlocked(() => device.getItem(tokenKey));
}

/** Keeps a token for the tab, or for the device if it is persistent. */
export function keepToken(
  { tab, device }: Pick<TokenPlaces, "tab" | "device">,
  token: string,
  persistent: boolean,
): void {
  // A token of the tab comes first, so an older one there must not hide the one of the device.
  if (persistent) ignoreBlocked(() => tab.removeItem(tokenKey));
  ignoreBlocked(() => (persistent ? device : tab).setItem(tokenKey, token));
  // It belongs to the token from before.
  ignoreBlocked(() => (persistent ? device : tab).removeItem(grantKey));
}

/** Keeps what a token permits, beside the token. */
export function keepGrant({ tab, device }: Pick<TokenPlaces, "tab" | "device">, token: string, grant: GrantView): void {
  const storage = [tab, device].find((one) => ignoreBlocked(() => one.getItem(tokenKey)) === token);
  if (storage !== undefined) ignoreBlocked(() => storage.setItem(grantKey, JSON.stringify(grant)));
}

/** Returns what a token permitted when the service last said so; null if that is not known. */
export function readKeptGrant({ tab, device }: Pick<TokenPlaces, "tab" | "device">, token: string): GrantView | null {
  const storage = [tab, device].find((one) => ignoreBlocked(() => one.getItem(tokenKey)) === token);
  const text = ignoreBlocked(() => storage?.getItem(grantKey) ?? null);
  if (text === null) return null;
  const grant = ignoreBlocked(() => JSON.parse(text) as unknown);
  return isGrant(grant) ? grant : null;
}

/** An earlier version of the page may have kept another form. The page has no schemas. */
function isGrant(value: unknown): value is GrantView {
  const { label, scopes, expiresAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof label === "string" && Array.isArray(scopes) && (expiresAt === null || typeof expiresAt === "string");
}

/** Removes a token that the service refuses, wherever it is kept. A newer one, which another tab has stored, stays. */
export function dropToken({ tab, device }: Pick<TokenPlaces, "tab" | "device">, token: string): void {
  for (const storage of [tab, device]) {
    ignoreBlocked(() => {
      if (storage.getItem(tokenKey) !== token) return;
      storage.removeItem(tokenKey);
      storage.removeItem(grantKey);
    });
  }
}

/** A browser may refuse to store anything. The page then works until it is reloaded. */
function ignoreBlocked<Result>(access: () => Result): Result | null {
  try {
    return access();
  } catch {
    return null;
  }
}
