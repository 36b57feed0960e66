import { decodeFrame } from "./frame.ts";
import type { StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

/** A message of the session, or a place before or after all of them. */
interface SearchBound {
  readonly sequence: number;
  /** The first event of the message. */
  readonly first: number;
}

// Reading this many messages costs about as much as another step of the search.
const closeEnough = 32;
// Interpolation finds regular histories in a few steps. Bisection in every other step bounds the rest.
const interpolatedSteps = 3;
// More than bisecting all sequences of a stream needs. After them, the best place that is known is used.
const maxSteps = 120;

/**
 * Finds a place in a session's stream from which a reader gets the events after a sequence, shortly before them. The
 * events of a session are numbered in the order of the stream, so the place is found by searching, without a table and
 * without reading the history. Returns the first message for the beginning.
 */
export async function findStartSequence(
  store: StreamStore,
  session: string,
  after: number,
  end: { readonly start: number; readonly head: number; readonly last: number },
  signal?: AbortSignal,
): Promise<number> {
  const target = after + 1;
  let start = end.start;
  let low: SearchBound = { sequence: start, first: 1 };
  let high: SearchBound = { sequence: end.head, first: end.last + 1 };
  for (let step = 1; step <= maxSteps; step++) {
    if (target - low.first <= closeEnough || high.sequence - low.sequence <= closeEnough) break;
    const guess = guessSequence(low, high, target, step);
    const found = await findFrameAt(store, session, guess, signal);
    if (found === undefined || found.message.sequence > end.head) high = { ...high, sequence: guess };
    else if (found.first > target) high = { sequence: guess, first: found.first };
    else {
      // The search continues after the found message, and not after the start: parts of one batch have one start, which
      // may be far before them.
      low = { sequence: found.message.sequence, first: found.first };
      start = found.start;
    }
  }
  return start;
}

/** Guesses where the target is, a little before it: a place before the target is a result, a place after it is not. */
function guessSequence(low: SearchBound, high: SearchBound, target: number, step: number): number {
  const width = high.sequence - low.sequence;
  const isInterpolated = (step <= interpolatedSteps || step % 2 === 0) && high.first > low.first;
  const share = isInterpolated ? (target - low.first) / (high.first - low.first) : 0.5;
  const undershoot = isInterpolated ? closeEnough / 2 : 0;
  const offset = Math.floor(width * Math.min(1, share)) - undershoot;
  return low.sequence + Math.min(width - 1, Math.max(1, offset));
}

interface FoundFrame {
  readonly message: StoredMessage;
  readonly first: number;
  /** Where a reader of this frame must start: a part has no meaning without those before it. */
  readonly start: number;
}

/** Returns the first intact frame of a session at a sequence or after it. */
async function findFrameAt(
  store: StreamStore,
  session: string,
  sequence: number,
  signal: AbortSignal | undefined,
): Promise<FoundFrame | undefined> {
  const partition = store.layout.partitionOf(session);
  const subject = store.layout.subjectOf(session);
  for (let from = sequence; ;) {
    const [direct] = await store.readBatch(partition, { subject, sequence: from, count: 1 }, signal);
    // A replica that lags behind has no answer, and the leader has one.
    const message = direct ?? (await store.readNext(session, from, signal));
    if (message === undefined) return undefined;
    const frame = decodeFrame(session, message.payload);
    if (frame !== undefined) {
      const start = frame.partIndex === 0 ? message.sequence : frame.base.sequence;
      return { message, first: frame.first, start };
    }
    from = message.sequence + 1;
  }
}
