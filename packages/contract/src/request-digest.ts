import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { EventOf } from "./agent-event.ts";

/**
 * Returns the digest of a request for a decision: of everything that a person is shown. An answer that contains it is
 * refused if the open request is another one. The agent chooses the ids of its requests and may use one again.
 */
export function requestDigest(request: Omit<EventOf<"decision.requested">, "type">): string {
  const { decision, kind, title, call, tool, input, questions } = request;
  // Neither `node:crypto`, which browsers lack, nor theirs, which is asynchronous: a reducer cannot wait.
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify([decision, kind, title, call, tool, input, questions]))));
}
