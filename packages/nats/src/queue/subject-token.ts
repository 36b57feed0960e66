import { createHash } from "node:crypto";
import { encodeSessionToken } from "../log/session-token.ts";

// A consumer is named after its pool, and servers accept names of up to 255 characters.
const maxLength = 200;

/**
 * Encodes any text as one token of a subject, which differs for different texts. A long text becomes its digest: `=x` never
 * begins the encoding of a short one.
 */
export function encodeSubjectToken(text: string): string {
  // Also spares the encoding of a text that has megabytes.
  const token = text.length > maxLength ? undefined : encodeSessionToken(text);
  if (token !== undefined && token.length <= maxLength) return token;
  // UTF-16, because UTF-8 would make all unpaired surrogates equal.
  return `=x${createHash("sha256").update(Buffer.from(text, "utf16le")).digest("hex")}`;
}
