import { createHash, randomBytes } from "node:crypto";
import { codeLifetimeMs, type CodeRequest, type CodeView, type GrantView, type SignedInView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { AccessTokens, TokenRequest } from "./access-tokens.ts";
import type { Grant } from "./guard.ts";

/** How many codes are remembered, used ones and late ones included. */
const maxCodes = 100;

interface IssuedCode {
  readonly issue: TokenRequest;
  readonly persistent: boolean;
  readonly expiresAt: number;
  isUsed: boolean;
}

export interface OneTimeCodesOptions {
  readonly tokens: AccessTokens;
  /** Called when a code is used again, with the label of its token: another program may have read it. */
  readonly onReuse?: (label: string) => void;
  readonly now?: () => number;
}

/**
 * Issues codes of 192 random bits, each for one token. Only their digests are kept, in memory: a restart of the service
 * voids them. A guess needs no delay, because there are more codes than can be tried.
 */
export class OneTimeCodes {
  readonly #tokens: AccessTokens;
  readonly #onReuse: (label: string) => void;
  readonly #now: () => number;
  /** By digest, in the order in which they were issued. */
  readonly #codes = new Map<string, IssuedCode>();

  constructor({ tokens, onReuse = () => {}, now = Date.now }: OneTimeCodesOptions) {
    this.#tokens = tokens;
    this.#onReuse = onReuse;
    this.#now = now;
  }

  /**
   * Issues a code to the owner, with no more scopes than the request keeps. Throws `not-allowed` to any other caller: the token
   * of its code would still work after its own was revoked, and its label could be that of another person, whom the journal
   * would then name for its answers.
   */
  create({ label, scopes, tokenLifetimeMs, persistent }: CodeRequest, caller: Grant): CodeView {
    if (caller.id !== null)
      throw new FairleadError(
        "not-allowed",
        "Only the owner can issue one-time codes, at the daemon's socket. On the machine of the daemon, use: fairlead open",
      );
    const missing = scopes.filter((scope) => !caller.scopes.includes(scope));
    if (missing.length > 0)
      throw new FairleadError("not-allowed", `The caller does not have these scopes itself: ${missing.join(", ")}.`);
    const code = `flc_${randomBytes(24).toString("base64url")}`;
    const expiresAt = this.#now() + codeLifetimeMs;
    this.#codes.set(hashCode(code), {
      issue: { label, scopes: [...new Set(scopes)], expiresInMs: tokenLifetimeMs },
      persistent,
      expiresAt,
      isUsed: false,
    });
    const [oldest = ""] = this.#codes.keys();
    if (this.#codes.size > maxCodes) this.#codes.delete(oldest);
    return { code, expiresAt: new Date(expiresAt).toISOString() };
  }

  /** Exchanges a code for a token. Throws `not-allowed` with the reason if the code is unknown, used or late. */
  async exchange(code: string): Promise<SignedInView> {
    const issued = this.#codes.get(hashCode(code));
    if (issued === undefined) throw refuse("is not known. It may be wrong, or from before a restart of the service");
    if (issued.isUsed) {
      this.#onReuse(issued.issue.label);
      throw refuse("was used before");
    }
    if (this.#now() >= issued.expiresAt) throw refuse(`is older than ${codeLifetimeMs / 1000} seconds`);
    // Before the token is stored: a second exchange meanwhile must not get one, too.
    issued.isUsed = true;
    const token = await this.#tokens.issue(issued.issue);
    const grant = this.#tokens.find(token);
    if (grant === null) throw new FairleadError("unavailable", "The token was revoked while it was issued.");
    return { token, persistent: issued.persistent, grant: viewGrant(grant) };
  }
}

/** Returns what a caller may read of its own grant. */
export function viewGrant({ label, scopes, expiresAt, workspaces }: Omit<Grant, "id">): GrantView {
  return {
    label,
    scopes: [...scopes],
    expiresAt: expiresAt ?? null,
    ...(workspaces && { workspaces: [...workspaces] }),
  };
}

function refuse(reason: string): FairleadError {
  return new FairleadError("not-allowed", `The code ${reason}. Get a new one with: fairlead open`);
}

function hashCode(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
