import { createHash } from "node:crypto";

/** The UUID that belongs to some words (version 8, RFC 9562): told again, a thing has the same one. */
export function uuidOf(...words: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(JSON.stringify(words)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0b0011) | 0b1000).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}
