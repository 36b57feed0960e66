import { z } from "zod";

/** An issued access token as an engine stores it: without the token itself. */
export const StoredToken = z.strictObject({
  label: z.string().min(1),
  /** What the token permits. The engine does not interpret it. */
  scopes: z.array(z.string()).min(1),
  /** The folders of the sessions that the token reaches, as absolute paths. Absent: all folders. */
  workspaces: z.array(z.string()).min(1).optional(),
  /** The SHA-256 digest of the token, in hexadecimal. */
  digest: z.hex().length(64),
  issuedAt: z.iso.datetime(),
  /** When the token stops working. Absent: never. */
  expiresAt: z.iso.datetime().optional(),
});
export type StoredToken = z.infer<typeof StoredToken>;

/** Whether a token has stopped working. */
export function hasExpired({ expiresAt }: StoredToken, now: number = Date.now()): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

/** Stores the digests of issued access tokens, so that a reader of the storage obtains no token. */
export interface TokenStore {
  /**
   * Adds a token. It is durable when the promise resolves. Also removes tokens that have expired, so that those of many
   * short visits do not collect.
   */
  add(token: StoredToken): Promise<void>;

  /** Removes every token with the label, and returns how many there were. */
  remove(label: string): Promise<number>;

  /**
   * Returns all tokens. Every request needs them, so that it does not wait. Throws `corrupt` if they cannot be read, and
   * `unavailable` if an engine with a copy of them has lost the connection that keeps the copy current.
   */
  list(): readonly StoredToken[];

  /** Identifies the state of the tokens, so that a caller detects a change by any process without reading them. */
  version(): string;
}
