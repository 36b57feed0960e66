import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { Scope } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { rewriteAlone } from "./rewrite-alone.ts";

/** What a token is good for. One for an agent is bound to its session, and has the scope `report` alone. */
const Issue = z.strictObject({
  label: z.string().min(1),
  scopes: z.array(Scope).min(1),
  session: z.string().optional(),
});
export type Issue = z.infer<typeof Issue>;

const Stored = z.array(z.strictObject({ ...Issue.shape, digest: z.hex().length(64), issuedAt: z.iso.datetime() }));
type Stored = z.infer<typeof Stored>;

/**
 * The tokens that were issued here. The file holds their digests, so that whoever reads it still has none of them; it
 * is read anew each time, so that what another process issues or revokes counts at once.
 */
export class Tokens {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Makes a token of 256 random bits. It is told this once and cannot be told again. */
  issue(issue: Issue): string {
    const { scopes, session } = issue;
    if (scopes.includes("report") && (scopes.length > 1 || session === undefined)) {
      throw new FairleadError(
        "invalid-request",
        "A token for reports is bound to a session and good for nothing else.",
      );
    }
    const token = `fl_${randomBytes(32).toString("base64url")}`;
    const entry = { ...issue, digest: digestOf(token).toString("hex"), issuedAt: new Date().toISOString() };
    this.#change((stored) => [...stored, entry]);
    return token;
  }

  /** Takes back every token of a label; says how many there were. */
  revoke(label: string): number {
    let revoked = 0;
    this.#change((stored) => {
      const kept = stored.filter((one) => one.label !== label);
      revoked = stored.length - kept.length;
      return kept;
    });
    return revoked;
  }

  /** What a token is good for. How long it takes does not depend on how close a guess was. */
  find(token: string): Issue | null {
    const digest = digestOf(token);
    const matches = this.list().filter((one) => timingSafeEqual(Buffer.from(one.digest, "hex"), digest));
    return matches[0] ?? null;
  }

  list(): Stored {
    try {
      return Stored.parse(JSON.parse(readFileSync(this.#file, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw new FairleadError("corrupt", `${this.#file} cannot be read; move it away to have no tokens.`, {
        cause: error,
      });
    }
  }

  /** Another text whenever the file is another, so that nobody has to read it to know that it has not changed. */
  stamp(): string {
    const found = statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    return found ? `${found.ino} ${found.size} ${found.ctimeNs}` : "";
  }

  #change(change: (stored: Stored) => Stored): void {
    rewriteAlone(this.#file, () => `${JSON.stringify(change(this.list()), null, 2)}\n`);
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
