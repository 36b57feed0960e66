import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { EventOf } from "./agent-event.ts";
import type { SessionPolicy } from "./policy/session-policy.ts";

type DecisionRequest = Omit<EventOf<"decision.requested">, "type">;

/**
 * Returns the digest of a request for a decision: of everything that a person is shown. An answer that contains it is
 * refused if the open request is another one. The agent chooses the ids of its requests and may use one again.
 */
export function requestDigest(request: DecisionRequest): string {
  return request.digest ?? digestOf(requestFields(request));
}

/** Returns the digest of a request in a session with a policy: also of the call's folder and of the policy. */
export function policyRequestDigest(request: DecisionRequest, workspace: string, policy: SessionPolicy): string {
  const { action, options } = request;
  return digestOf([...requestFields(request), action, options, workspace, policyDigest(policy)]);
}

/** Digests that were computed. A policy may be long, and every request of the session needs its digest. */
const policyDigests = new WeakMap<SessionPolicy, string>();

/** Returns the digest of a session's policy. */
export function policyDigest(policy: SessionPolicy): string {
  const known = policyDigests.get(policy);
  if (known !== undefined) return known;
  const digest = digestOf(policy.policies);
  policyDigests.set(policy, digest);
  return digest;
}

function requestFields({ decision, kind, title, call, tool, input, questions }: DecisionRequest): unknown[] {
  return [decision, kind, title, call, tool, input, questions];
}

function digestOf(value: unknown): string {
  // Neither `node:crypto`, which browsers lack, nor theirs, which is asynchronous: a reducer cannot wait.
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(value))));
}
