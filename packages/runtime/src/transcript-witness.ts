import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Transcript } from "@fairlead/contract";

/**
 * The fingerprint of an agent's own record of a conversation, held against an earlier one: a record that only grows
 * still begins with what was there before. Null when there is no record.
 */
export function fingerprint(path: string, before: Transcript | null): Transcript | null {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch {
    return null;
  }
  const digest = digestOf(content);
  const extended = before === null || digestOf(content.subarray(0, before.bytes)) === before.digest;
  return { bytes: content.length, digest, extends: extended };
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
