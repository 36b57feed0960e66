import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Scope } from "@fairlead/api";
import type { StoredToken, TokenStore } from "@fairlead/engine";

/** The permissions of a token. */
export interface TokenGrant {
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** The folders of the sessions that the token reaches, as absolute paths. Absent: all folders. */
  readonly workspaces?: readonly string[];
}

/** A token as it is listed. */
export interface IssuedToken extends TokenGrant {
  readonly issuedAt: string;
}

/** Issues, revokes and checks access tokens. The store has only their digests, so a reader of it obtains no token. */
export class AccessTokens {
  readonly #store: TokenStore;

  constructor(store: TokenStore) {
    this.#store = store;
  }

  /** Issues a token of 256 random bits. Only its digest is stored, so the token cannot be shown again. */
  async issue({ label, scopes, workspaces }: TokenGrant): Promise<string> {
    const token = `fl_${randomBytes(32).toString("base64url")}`;
    await this.#store.add({
      label,
      scopes: [...scopes],
      ...(workspaces && { workspaces: [...workspaces] }),
      digest: hashToken(token).toString("hex"),
      issuedAt: new Date().toISOString(),
    });
    return token;
  }

  /** Revokes every token with the label and returns how many there were. */
  revoke(label: string): Promise<number> {
    return this.#store.remove(label);
  }

  /** Finds the grant of a token. Its duration does not depend on how close a guess is, so timing reveals nothing. */
  find(token: string): (TokenGrant & { readonly id: string }) | null {
    const digest = hashToken(token);
    const [match] = this.#store.list().filter((stored) => timingSafeEqual(Buffer.from(stored.digest, "hex"), digest));
    return match === undefined ? null : { ...toIssuedToken(match), id: match.digest.slice(0, 16) };
  }

  list(): readonly IssuedToken[] {
    return this.#store.list().map((stored) => toIssuedToken(stored));
  }

  /** Identifies the state of the tokens, so that a caller can detect a change without reading them. */
  version(): string {
    return this.#store.version();
  }
}

function toIssuedToken({ label, scopes, workspaces, issuedAt }: StoredToken): IssuedToken {
  return { label, scopes: scopes as Scope[], ...(workspaces && { workspaces }), issuedAt };
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
