import type { AccessTokens } from "./access-tokens.ts";

/** How often the watcher checks the tokens for a change, in milliseconds. */
const pollInterval = 250;

interface WatchedGrant {
  readonly isValid: () => boolean;
  readonly onRevoked: () => void;
}

/**
 * Ends streams whose token was revoked. The guard checks a token only when a stream begins, and a stream may stay open
 * for days. The watcher polls the version of the tokens, because usually another process revokes the token.
 */
export class RevocationWatcher implements Disposable {
  readonly #tokens: AccessTokens;
  readonly #watched = new Set<WatchedGrant>();
  #timer: NodeJS.Timeout | undefined;
  #lastVersion = "";

  constructor(tokens: AccessTokens) {
    this.#tokens = tokens;
  }

  /** Calls `onRevoked` once as soon as `isValid` returns false, until the returned watch is disposed. */
  watch(isValid: () => boolean, onRevoked: () => void): Disposable {
    const grant = { isValid, onRevoked };
    this.#watched.add(grant);
    this.#timer ??= setInterval(() => this.#poll(), pollInterval);
    this.#check(grant); // the token may have been revoked since the guard accepted it
    return { [Symbol.dispose]: () => this.#unwatch(grant) };
  }

  [Symbol.dispose](): void {
    for (const grant of this.#watched) this.#unwatch(grant);
  }

  #poll(): void {
    const version = this.#tokens.version();
    if (version === this.#lastVersion) return;
    this.#lastVersion = version;
    for (const grant of this.#watched) this.#check(grant);
  }

  #check(grant: WatchedGrant): void {
    if (isStillValid(grant)) return;
    this.#unwatch(grant);
    grant.onRevoked();
  }

  #unwatch(grant: WatchedGrant): void {
    this.#watched.delete(grant);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Tokens that cannot be read count as a revocation, because the guard would reject every token too. */
function isStillValid({ isValid }: WatchedGrant): boolean {
  try {
    return isValid();
  } catch {
    return false;
  }
}
