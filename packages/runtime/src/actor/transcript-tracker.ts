import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Adapter, Delta, EventDraft, TranscriptFingerprint } from "@fairlead/contract";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";

/**
 * Computes the fingerprint of the agent's own transcript of a session and compares it with the last one recorded. A
 * transcript that only grew still begins with the bytes of that fingerprint. Returns null if there is no transcript.
 */
export function fingerprintTranscript(
  adapter: Adapter,
  { opening, agentSessionId, transcript: before }: SessionState,
  environment: Environment,
): TranscriptFingerprint | null {
  if (opening === null || agentSessionId === null) return null;
  const path = adapter.transcriptPath?.(opening, agentSessionId, environment);
  const content = path === undefined ? null : readFile(path);
  if (content === null) return null;
  const isExtension = before === null || digestOf(content.subarray(0, before.bytes)) === before.digest;
  return { bytes: content.length, digest: digestOf(content), extends: isExtension };
}

function readFile(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** Decides when to take a fingerprint: at a pause, and after the first turn that follows a resume. */
export class TranscriptTracker {
  #awaitsFirstTurn = false;

  /** Returns the ids of the events after which a fingerprint is due. */
  findTriggers(outputs: readonly (EventDraft | Delta)[]): string[] {
    const ids: string[] = [];
    for (const output of outputs) {
      if (!("body" in output)) continue;
      if (output.body.type === "session.resumed") this.#awaitsFirstTurn = true;
      const isFirstTurnOver = output.body.type === "turn.ended" && this.#awaitsFirstTurn;
      if (isFirstTurnOver) this.#awaitsFirstTurn = false;
      if (isFirstTurnOver || output.body.type === "session.paused") ids.push(output.id);
    }
    return ids;
  }
}
