import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Scope } from "@fairlead/api";
import { hasExpired, type StoredToken, type TokenStore } from "@fairlead/engine";

/** The permissions of a token. */
export interface TokenGrant {
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** The folders of the sessions that the token reaches, as absolute paths. Absent: all folders. */
  readonly workspaces?: readonly string[];
  /** When the token stops working. Absent: never. */
  readonly expiresAt?: string;
}

/** A token as it is listed. */
export interface IssuedToken extends TokenGrant {
  readonly issuedAt: string;
}

export interface TokenRequest extends Omit<TokenGrant, "expiresAt"> {
  /** How long the token works, in milliseconds. Default: until it is revoked. */
  readonly expiresInMs?: number;
}

/** Issues, revokes and checks access tokens. The store has only their digests, so a reader of it obtains no token. */
export class AccessTokens {
  readonly #store: TokenStore;
  /** The state of the store whose next expiry is known. Undefined before the first one could be read. */
  #known: { readonly version: string; readonly nextExpiry: number } | undefined;
  #expiries = 0;

  constructor(store: TokenStore) {
    this.#store = store;
  }

  /** Issues a token of 256 random bits. Only its digest is stored, so the token cannot be shown again. */
  async issue({ label, scopes, workspaces, expiresInMs }: TokenRequest): Promise<string> {
    const token = `fl_${randomBytes(32).toString("base64url")}`;
    const now = Date.now();
    await this.#store.add({
      label,
      scopes: [...scopes],
      ...(workspaces && { workspaces: [...workspaces] }),
      digest: hashToken(token).toString("hex"),
      issuedAt: new Date(now).toISOString(),
      ...(expiresInMs !== undefined && { expiresAt: new Date(now + expiresInMs).toISOString() }),
    });
    return token;
  }

  /** Revokes every token with the label and returns how many there were. */
  revoke(label: string): Promise<number> {
    return this.#store.remove(label);
  }

  /**
   * Finds the grant of a token that has not expired. Its duration does not depend on how close a guess is, so timing
   * reveals nothing.
   */
  find(token: string): (TokenGrant & { readonly id: string }) | null {
    const digest = hashToken(token);
    const [match] = this.#store.list().filter((stored) => timingSafeEqual(Buffer.from(stored.digest, "hex"), digest));
    if (match === undefined || hasExpired(match)) return null;
    return { ...toIssuedToken(match), id: match.digest.slice(0, 16) };
  }

  /** Lists the tokens, also those that have expired and are not removed yet. */
  list(): readonly IssuedToken[] {
    return this.#store.list().map((stored) => toIssuedToken(stored));
  }

  /**
   * Identifies which tokens are valid, so that a caller can detect a change without reading them. It also changes when a
   * token expires.
   */
  version(): string {
    const version = this.#store.version();
    if (this.#known?.version !== version) this.#known = this.#readNextExpiry(version);
    if (this.#known !== undefined && this.#known.nextExpiry <= Date.now()) {
      this.#expiries += 1;
      this.#known = this.#readNextExpiry(version);
    }
    return `${version} ${this.#expiries}`;
  }

  /** Returns undefined while the tokens cannot be read: the next call tries again. */
  #readNextExpiry(version: string): { readonly version: string; readonly nextExpiry: number } | undefined {
    try {
      const now = Date.now();
      const ends = this.#store.list().map(({ expiresAt = "" }) => Date.parse(expiresAt));
      // Later times are read again when they are next, so that this one is always ahead.
      const nextExpiry = Math.min(...ends.filter((end) => end > now), Infinity);
      return { version, nextExpiry };
    } catch {
      return undefined;
    }
  }
}

function toIssuedToken({ label, scopes, workspaces, issuedAt, expiresAt }: StoredToken): IssuedToken {
  return {
    label,
    scopes: scopes as Scope[],
    ...(workspaces && { workspaces }),
    issuedAt,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
