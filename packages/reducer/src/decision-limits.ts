import { openScopes, type EventOf, type Ledger } from "@fairlead/contract";

/** The most decisions of a session that may be open. */
export const maxOpenDecisions = 256;
/** The largest sum of their requests, in bytes of JSON. One request is accepted whatever its size. */
export const maxOpenDecisionBytes = 8 * 1024 * 1024;

/** The message of the event that resolves a decision above the limit. */
export const tooManyDecisions = "Too many requests wait for an answer, or they are too large. This one was refused.";

/**
 * Returns the open decisions that exceed the limits, the newest ones. A request is not cut, because a person approves what
 * is shown, and the state and the index contain all open requests: an agent could make both too large to be written.
 */
export function excessDecisions(ledger: Ledger): readonly string[] {
  const excess: string[] = [];
  let [count, bytes] = [0, 0];
  for (const { key, request } of openScopes(ledger, "decision")) {
    const size = request === undefined ? 0 : sizeOf(request);
    const isKept = count === 0 || (count < maxOpenDecisions && bytes + size <= maxOpenDecisionBytes);
    if (isKept) [count, bytes] = [count + 1, bytes + size];
    else excess.push(key);
  }
  return excess;
}

/** Sizes that were computed. A request is compared again with each later one. */
const sizes = new WeakMap<EventOf<"decision.requested">, number>();

function sizeOf(request: EventOf<"decision.requested">): number {
  const known = sizes.get(request);
  if (known !== undefined) return known;
  const size = Buffer.byteLength(JSON.stringify(request));
  sizes.set(request, size);
  return size;
}
