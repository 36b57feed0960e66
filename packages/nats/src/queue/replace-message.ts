import type { StoredMessage } from "../log/stored-message.ts";
import type { StoreOptions, StreamRequests } from "./stream-requests.ts";

export interface Replacement extends StoreOptions {
  readonly stream: string;
  readonly subject: string;
  readonly payload: Uint8Array;
  /** The sequence of the last message on the subject; 0 when there must be none. */
  readonly expected: number;
  /** Whether a message on the subject is this one, or was made from it. */
  readonly isOwn: (message: StoredMessage) => boolean;
}

/**
 * Replaces the last message on a subject if it is the expected one. Returns the sequence of the new message, or undefined if
 * the expected message is no longer the last one.
 *
 * A refusal proves nothing, because servers refuse valid messages at times, and a lost answer proves nothing either. After
 * both, the last message on the subject decides, as the stream's leader has it.
 */
export async function replaceMessage(
  requests: StreamRequests,
  action: string,
  replacement: Replacement,
): Promise<number | undefined> {
  const { stream, subject, payload, expected, isOwn, ...options } = replacement;
  return await requests.retry(action, async () => {
    const outcome = await requests.storeOnce(subject, payload, { ...options, expected });
    if (outcome.kind !== "unknown") return outcome.sequence;
    const last = await requests.readOnce(stream, { last_by_subj: subject });
    // The expected message was removed.
    if (last === undefined && expected > 0) return undefined;
    if (last !== undefined && last.sequence > expected) return isOwn(last) ? last.sequence : undefined;
    throw outcome.reason;
  });
}
