import { createHash, randomBytes } from "node:crypto";

/** Letters and digits that cannot be confused with one another. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates a random id. */
export function randomId(): string {
  return encodeId(randomBytes(12));
}

/** Derives an id from an idempotency key, so that a repeated command finds the object that the first one created. */
export function idFromKey(key: string): string {
  return encodeId(createHash("sha256").update(key).digest().subarray(0, 12));
}

function encodeId(bytes: Uint8Array): string {
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join("");
}
