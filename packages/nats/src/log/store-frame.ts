import { setTimeout as delay } from "node:timers/promises";
import { checksumOf, encodeFrame, type FrameLink, type LogFrame } from "./frame.ts";
import { createUnavailableError, isLastingFailure, StreamApiError, type StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

/** Another message took the place of a frame. The frame is not stored and never will be. */
export class OvertakenError extends Error {
  /** The last message of the session, as far as it is known; undefined if the session has none. */
  readonly last: StoredMessage | undefined;

  constructor(last: StoredMessage | undefined) {
    super("another message follows the expected one");
    this.name = "OvertakenError";
    this.last = last;
  }
}

// A refused frame is usually accepted at once: the server has acknowledged the frame before it, and still counts it as
// in flight.
const resendPauses = { first: 2, max: 250 };
const storeFailedCode = 10077;

/**
 * Stores a frame as the next message after `expected`. **A refusal is no proof that another writer was faster**: servers
 * refuse about one valid append in 50,000. A missing answer proves nothing either. So only the session's last message
 * decides: if it is the frame, the frame is stored. If it is the expected one, the frame is sent again with the same id.
 * Otherwise another message is in its place. Throws `unavailable` if the servers do not answer until the deadline.
 */
export async function storeFrame(
  store: StreamStore,
  session: string,
  frame: LogFrame,
  options: { readonly expected: number; readonly deadline: number },
): Promise<FrameLink> {
  const payload = encodeFrame(session, frame);
  const checksum = checksumOf(payload);
  const subject = store.layout.subjectOf(session);
  const { expected, deadline } = options;
  const publishOptions = { messageId: messageIdOf(frame), expected, isForget: frame.kind === "forget" };
  let mayBeStored = false;
  for (let pause = resendPauses.first; ; pause = Math.min(2 * pause, resendPauses.max)) {
    const outcome = await store.publish(subject, payload, publishOptions);
    if (outcome.kind === "stored") return { sequence: outcome.sequence, checksum };
    store.onRefused();
    mayBeStored ||= outcome.kind === "unknown";
    const sequence = await findFrame(store, session, { payload, expected, mayBeStored });
    if (sequence !== undefined) return { sequence, checksum };
    if (performance.now() > deadline || isLastingFailure(outcome.reason)) {
      throw createUnavailableError("append", describeFullStream(store, session, outcome.reason));
    }
    await delay(pause * (0.5 + Math.random()));
  }
}

/** Adds to the error of a stream at its storage limit what a person can do. */
function describeFullStream(store: StreamStore, session: string, reason: Error): Error {
  if (!(reason instanceof StreamApiError) || reason.code !== storeFailedCode) return reason;
  const stream = store.layout.streamName(store.layout.partitionOf(session));
  const advice = `If the stream ${stream} is at its storage limit, raise the limit: removing a session needs space too`;
  return new Error(`${reason.message}. ${advice}`, { cause: reason });
}

function messageIdOf({ nonce, partIndex }: LogFrame): string {
  return `${nonce.toString(36)}.${partIndex}`;
}

/** Returns the sequence of a frame that is stored, and undefined if it must be sent again. Otherwise throws. */
async function findFrame(
  store: StreamStore,
  session: string,
  frame: { readonly payload: Buffer; readonly expected: number; readonly mayBeStored: boolean },
): Promise<number | undefined> {
  const { payload, expected, mayBeStored } = frame;
  const last = await store.readLast(session);
  // A leader that was just elected may not have applied its newest messages. The compare-and-set protects the resending.
  if ((last?.sequence ?? 0) <= expected && (last !== undefined || expected === 0)) return undefined;
  if (last !== undefined && payload.equals(last.payload)) return last.sequence;
  // Others may have appended after the frame. Only one message can follow the expected one.
  const next = last !== undefined && mayBeStored ? await store.readNext(session, expected + 1) : undefined;
  if (next !== undefined && payload.equals(next.payload)) return next.sequence;
  throw new OvertakenError(last);
}
