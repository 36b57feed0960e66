import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { Scope } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { rewriteLocked } from "../../files/rewrite-locked.ts";

/** The permissions of a token. */
const TokenGrant = z.strictObject({
  label: z.string().min(1),
  scopes: z.array(Scope).min(1),
  /** The folders of the sessions that the token reaches, as absolute paths. Absent: all folders. */
  workspaces: z.array(z.string()).min(1).optional(),
});
export type TokenGrant = z.infer<typeof TokenGrant>;

const StoredTokens = z.array(
  z.strictObject({ ...TokenGrant.shape, digest: z.hex().length(64), issuedAt: z.iso.datetime() }),
);
type StoredTokens = z.infer<typeof StoredTokens>;

/**
 * The issued access tokens, in a file. The file contains only their digests, so a reader of the file obtains no token.
 * Every call reads the file again, so a token that another process issues or revokes takes effect immediately.
 */
export class AccessTokens {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Issues a token of 256 random bits. Only its digest is stored, so the token cannot be shown again. */
  issue(grant: TokenGrant): string {
    const token = `fl_${randomBytes(32).toString("base64url")}`;
    const entry = { ...grant, digest: hashToken(token).toString("hex"), issuedAt: new Date().toISOString() };
    this.#update((stored) => [...stored, entry]);
    return token;
  }

  /** Revokes every token with the label and returns how many there were. */
  revoke(label: string): number {
    let revokedCount = 0;
    this.#update((stored) => {
      const remaining = stored.filter((token) => token.label !== label);
      revokedCount = stored.length - remaining.length;
      return remaining;
    });
    return revokedCount;
  }

  /** Finds the grant of a token. Its duration does not depend on how close a guess is, so timing reveals nothing. */
  find(token: string): (TokenGrant & { readonly id: string }) | null {
    const digest = hashToken(token);
    const [match] = this.list().filter((stored) => timingSafeEqual(Buffer.from(stored.digest, "hex"), digest));
    return match === undefined ? null : { ...match, id: match.digest.slice(0, 16) };
  }

  list(): StoredTokens {
    try {
      return StoredTokens.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new FairleadError(
        "corrupt",
        `${this.#file} cannot be read. Move it away to revoke all tokens, or restore it from a backup.`,
        {
          cause: error,
        },
      );
    }
  }

  /** Identifies the state of the file, so that a caller can detect a change without reading it. */
  fileVersion(): string {
    const stats = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}` : "";
  }

  #update(change: (stored: StoredTokens) => StoredTokens): void {
    rewriteLocked(this.#file, () => `${JSON.stringify(change(this.list()), null, 2)}\n`);
  }
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
