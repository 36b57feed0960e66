import { randomUUID } from "node:crypto";

/**
 * An identifier of letters alone. Digits would now and then spell an HTTP status, and there are programs that look for
 * one anywhere in an error's words, the request's id included: Amp takes a 429 with "401" in its id for a 401.
 */
export function makeId(prefix: string): string {
  const letters = randomUUID()
    .replaceAll("-", "")
    .replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)));
  return `${prefix}${letters.slice(0, 24)}`;
}
