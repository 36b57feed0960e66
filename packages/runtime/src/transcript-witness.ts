import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Delta, Draft, Transcript } from "@fairlead/contract";

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

/** Knows when to take a fingerprint: at a pause, and after the first turn that follows a resume. */
export class Witness {
  #resumed = false;

  /** The ids of the events that make this a moment to take one. */
  moments(told: readonly (Draft | Delta)[]): string[] {
    const ids: string[] = [];
    for (const one of told) {
      if (!("body" in one)) continue;
      if (one.body.type === "session.resumed") this.#resumed = true;
      const over = one.body.type === "turn.ended" && this.#resumed;
      if (over) this.#resumed = false;
      if (over || one.body.type === "session.paused") ids.push(one.id);
    }
    return ids;
  }
}
