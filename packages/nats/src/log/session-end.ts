import { FairleadError } from "@fairlead/contract";
import type { LogTail } from "@fairlead/journal";
import { areLinksEqual, chainStart, decodeFrame, type DecodedFrame, type FrameLink } from "./frame.ts";
import { linkToFence } from "./log-fence.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

/** The end of a session's messages. */
export interface SessionEnd {
  readonly tail: LogTail;
  /** The newest complete frame, which the next frame names. */
  readonly base: FrameLink;
  /** The sequence of the last message, which may be a part that no frame completed; 0 if there is no message. */
  readonly head: number;
  /** The random number of that frame; 0 if there is none. */
  readonly nonce: bigint;
  /** Whether the history was ended, and its messages are not yet removed. */
  readonly isForgotten: boolean;
}

export const unclaimedEnd: SessionEnd = {
  tail: { epoch: 0, last: 0, fence: 0n, owner: "" },
  base: chainStart,
  head: 0,
  nonce: 0n,
  isForgotten: false,
};

/** Reads the end of a session from the stream's leader. Throws `corrupt` if it cannot be decoded. */
export async function readSessionEnd(store: StreamStore, session: string, signal?: AbortSignal): Promise<SessionEnd> {
  for (let attempt = 1; ; attempt++) {
    const message = await store.readLast(session, signal);
    if (message === undefined) return unclaimedEnd;
    const end = toSessionEnd(session, message) ?? (await completeEnd(store, session, message, signal));
    if (end !== undefined) return end;
    // The session may have been forgotten between the two reads.
    if (attempt === 3) throw createEndDamage(session, "the frame before its last part cannot be found");
  }
}

/**
 * Returns the end of a session whose last message is known. Returns undefined if the message is a part that does not
 * follow `before`: then the end is in another message.
 */
export function toSessionEnd(session: string, message: StoredMessage, before?: SessionEnd): SessionEnd | undefined {
  const frame = decodeFrame(session, message.payload);
  if (frame === undefined) throw createEndDamage(session, "the stored frame differs from what was written");
  const head = message.sequence;
  if (frame.kind === "forget") return { ...unclaimedEnd, head, isForgotten: true };
  if (frame.kind !== "part") return endAfter(frame, { sequence: head, checksum: frame.checksum }, head);
  return before !== undefined && areLinksEqual(before.base, frame.base) ? { ...before, head } : undefined;
}

/** Returns the end of a session after a complete frame. */
export function endAfter(
  frame: Pick<DecodedFrame, "epoch" | "first" | "count" | "owner" | "nonce">,
  base: FrameLink,
  head: number,
): SessionEnd {
  const { epoch, first, count, owner, nonce } = frame;
  const tail = { epoch, last: first + count - 1, fence: linkToFence(base), owner };
  return { tail, base, head, nonce, isForgotten: false };
}

/** Returns the end of a session whose last message is a part, from the complete frame before it. */
async function completeEnd(
  store: StreamStore,
  session: string,
  part: StoredMessage,
  signal: AbortSignal | undefined,
): Promise<SessionEnd | undefined> {
  const base = decodeFrame(session, part.payload)?.base ?? chainStart;
  const message = await store.readAt(session, base.sequence, signal);
  const frame = message && decodeFrame(session, message.payload);
  if (frame === undefined || frame.checksum !== base.checksum) return undefined;
  return endAfter(frame, base, part.sequence);
}

function createEndDamage(session: string, reason: string): FairleadError {
  return new FairleadError("corrupt", `Session ${session} is damaged at its end: ${reason}.`);
}
