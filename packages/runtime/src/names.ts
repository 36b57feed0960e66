import { createHash, randomBytes } from "node:crypto";

/** Letters and digits that cannot be mistaken for one another. */
const letters = "0123456789abcdefghjkmnpqrstvwxyz";

/** A name that nobody has yet. */
export function newName(): string {
  return spell(randomBytes(12));
}

/** The name that belongs to a command's key: whoever does the command again comes upon what was made the first time. */
export function nameOfKey(key: string): string {
  return spell(createHash("sha256").update(key).digest().subarray(0, 12));
}

function spell(bytes: Uint8Array): string {
  return [...bytes].map((byte) => letters[byte % letters.length]).join("");
}
