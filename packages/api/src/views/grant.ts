import { z } from "zod";
import { Scope } from "../scope.ts";

/** What the caller of a request may do. */
export const GrantView = z.object({
  /** The label of the token, or `owner`. */
  label: z.string(),
  /** Without those that the request itself gives up. */
  scopes: z.array(Scope),
  /** When the token stops working; null if it never does. */
  expiresAt: z.iso.datetime().nullable(),
  /** The folders of the sessions that the token reaches. Absent: all folders. */
  workspaces: z.array(z.string()).optional(),
});
export type GrantView = z.infer<typeof GrantView>;

/** How long a one-time code can be exchanged, in milliseconds. */
export const codeLifetimeMs = 60_000;

const dayMs = 24 * 60 * 60 * 1000;

/**
 * Asks for a code that a person carries to a browser, and that the page there exchanges once for a token. Only the owner may
 * ask, at the socket.
 */
export const CodeRequest = z.strictObject({
  /** The label of the token, by which it is revoked. */
  label: z.string().min(1).max(100),
  /** Scopes of the token. The request must have kept each of them. */
  scopes: z.array(Scope).min(1).max(16),
  /** How long the token works. */
  tokenLifetimeMs: z
    .int()
    .min(1000)
    .max(90 * dayMs),
  /** Whether the page may keep the token on its device after the browser was closed. */
  persistent: z.boolean().default(false),
});
export type CodeRequest = z.infer<typeof CodeRequest>;

export const CodeView = z.object({
  /** A secret. It works once, and until `expiresAt`. */
  code: z.string(),
  expiresAt: z.iso.datetime(),
});
export type CodeView = z.infer<typeof CodeView>;

export const CodeExchange = z.strictObject({ code: z.string().min(1).max(200) });
export type CodeExchange = z.infer<typeof CodeExchange>;

/** What a page gets for a code. */
export const SignedInView = z.object({
  /** A secret. The page keeps it per tab, or on the device if it is persistent. */
  token: z.string(),
  persistent: z.boolean(),
  grant: GrantView,
});
export type SignedInView = z.infer<typeof SignedInView>;
