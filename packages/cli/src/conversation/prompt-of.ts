import { text } from "node:stream/consumers";
import type { Surroundings } from "../surroundings.ts";

/** The prompt: what was typed, or what comes in on a pipe. Null when there is a person to type, or nothing at all. */
export async function promptOf(words: readonly string[], { input }: Surroundings): Promise<string | null> {
  if (words.length > 0) return words.join(" ");
  if (input.isTTY) return null;
  const piped = (await text(input)).trimEnd();
  return piped === "" ? null : piped;
}
