import { createHash } from "node:crypto";
import type { Adapter, Delta, EventDraft, TranscriptFingerprint } from "@fairlead/contract";
import type { KeeperRequest } from "@fairlead/keeper";
import type { SessionState } from "@fairlead/reducer";
import type { Environment } from "../host/child-environment.ts";
import { PlainFile } from "../host/read-plain-file.ts";
import { requestForNote } from "../actor/keeper-requests.ts";
import { locateTranscript } from "./locate-transcript.ts";

/** A larger transcript has no fingerprint: to read it at every pause would take seconds of processor time. */
const maxTranscriptBytes = 256 * 1024 ** 2;

/**
 * Computes the fingerprint of the agent's own transcript of a session and compares it with the last one recorded. A
 * transcript that only grew still begins with the bytes of that fingerprint. Returns null if there is no transcript, or
 * if what is at its path is not a regular file of limited size. The agent can create anything there.
 */
export async function fingerprintTranscript(
  adapter: Adapter,
  state: SessionState,
  environment: Environment,
  maxBytes = maxTranscriptBytes,
): Promise<TranscriptFingerprint | null> {
  const path = locateTranscript(adapter, state, environment);
  if (path === null) return null;
  try {
    await using file = await PlainFile.open(path, maxBytes);
    return file === null ? null : await digestTranscript(file, state.transcript);
  } catch {
    return null;
  }
}

async function digestTranscript(file: PlainFile, before: SessionState["transcript"]): Promise<TranscriptFingerprint> {
  const hash = createHash("sha256");
  let bytes = 0;
  let prefixDigest: string | null = before?.bytes === 0 ? hash.copy().digest("hex") : null;
  for await (const chunk of file.chunks()) {
    const prefixEnd = (before?.bytes ?? 0) - bytes;
    if (prefixEnd > 0 && prefixEnd <= chunk.length)
      prefixDigest = hash.copy().update(chunk.subarray(0, prefixEnd)).digest("hex");
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, digest: hash.digest("hex"), extends: before === null || prefixDigest === before.digest };
}

/** Decides when to take a fingerprint: at a pause, and after the first turn that follows a resume. */
export class TranscriptTracker {
  readonly #adapter: Adapter;
  readonly #environment: Environment;
  #awaitsFirstTurn = false;

  constructor(adapter: Adapter, environment: Environment) {
    this.#adapter = adapter;
    this.#environment = environment;
  }

  /** Yields the requests that record the fingerprints which the outputs make due. */
  async *takeDue(outputs: readonly (EventDraft | Delta)[], state: SessionState): AsyncGenerator<KeeperRequest> {
    for (const id of this.#findTriggers(outputs)) {
      const transcript = await fingerprintTranscript(this.#adapter, state, this.#environment);
      if (transcript !== null) yield requestForNote({ type: "transcript", transcript }, `transcript-${id}`);
    }
  }

  /** Returns the ids of the events after which a fingerprint is due. */
  #findTriggers(outputs: readonly (EventDraft | Delta)[]): string[] {
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
