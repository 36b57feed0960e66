import { randomUUID } from "node:crypto";

/**
 * Creates an identifier without digits. Digits would sometimes form an HTTP status, and some programs search an error
 * message for one, including the request id: Amp reads a 429 whose id contains "401" as a 401.
 */
export function makeId(prefix: string): string {
  const letters = randomUUID()
    .replaceAll("-", "")
    .replaceAll(/\d/g, (digit) => "ghijklmnop".charAt(Number(digit)));
  return `${prefix}${letters.slice(0, 24)}`;
}

/** Splits a text into at most `count` pieces of similar length, never inside a character. */
export function splitText(text: string, count: number): string[] {
  const characters = Array.from(text);
  const length = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += length) {
    pieces.push(characters.slice(start, start + length).join(""));
  }
  return pieces;
}

/** Returns the seconds since 1970. Rounds up, so that a client that waits for a reset does not come too early. */
export function toEpochSeconds(time: string): number {
  return Math.ceil(Date.parse(time) / 1000);
}
