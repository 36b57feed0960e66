import { FairleadError } from "@fairlead/contract";
import type { AccessTokens } from "./access-tokens.ts";

/** How often the watcher checks the tokens for a change, in milliseconds. */
const pollInterval = 250;

interface WatchedGrant {
  readonly isValid: () => boolean;
  readonly onEnd: (reason: FairleadError) => void;
}

/**
 * Ends streams whose token was revoked, has expired or cannot be checked. The guard checks a token only when a stream begins, and a
 * stream may stay open for days. The watcher polls the version of the tokens, because usually another process revokes the
 * token.
 */
export class RevocationWatcher implements Disposable {
  readonly #tokens: AccessTokens;
  readonly #watched = new Set<WatchedGrant>();
  #timer: NodeJS.Timeout | undefined;
  #lastVersion = "";

  constructor(tokens: AccessTokens) {
    this.#tokens = tokens;
  }

  /**
   * Calls `onEnd` once, until the returned watch is disposed: with `not-allowed` as soon as `isValid` returns false, and
   * with `unavailable` as soon as it throws. The client may then connect again when tokens can be checked.
   */
  watch(isValid: () => boolean, onEnd: (reason: FairleadError) => void): Disposable {
    const grant = { isValid, onEnd };
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
    const reason = findReasonToEnd(grant);
    if (reason === null) return;
    this.#unwatch(grant);
    grant.onEnd(reason);
  }

  #unwatch(grant: WatchedGrant): void {
    this.#watched.delete(grant);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * A stream whose token cannot be checked ends too, because the token may have been revoked. But that is no revocation: a
 * client that is told so gives up, although its token is valid again when the tokens can be read.
 */
function findReasonToEnd({ isValid }: WatchedGrant): FairleadError | null {
  try {
    return isValid() ? null : new FairleadError("not-allowed", "The token was revoked or has expired.");
  } catch {
    return new FairleadError("unavailable", "The stream ended, because tokens cannot be checked now.");
  }
}
