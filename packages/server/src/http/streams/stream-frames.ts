import type { Fairlead, Frame } from "@fairlead/api";
import { problemFromError } from "@fairlead/api";
import { type Delta, FairleadError, type ReadEvent } from "@fairlead/contract";
import { releaseWhenIdle } from "./release-when-idle.ts";

export interface FrameStreamOptions {
  readonly session: string;
  readonly after: number;
  readonly clip?: number | undefined;
  readonly deltas: boolean;
  /** Ends the stream. If the abort reason is a `FairleadError`, the last frame reports it. */
  readonly signal: AbortSignal;
  /** Called when the reading begins. The returned resource is disposed when the reading ends. */
  readonly onStart?: () => Disposable | undefined;
}

/** Streams a session as frames: history, a `caughtUp` mark, then new events. An error becomes the last frame. */
export async function* streamFrames(fairlead: Fairlead, options: FrameStreamOptions): AsyncGenerator<Frame> {
  const { session, after, clip, deltas, signal } = options;
  using _follower = options.onStart?.();
  try {
    // Every event after this sequence is newer than the stream, whether or not it is already in the journal.
    const { last: lastSequence } = await fairlead.session(session);
    let isLive = after >= lastSequence;
    if (isLive) yield { caughtUp: after };
    const events = (from: number): AsyncIterable<ReadEvent | Delta> =>
      fairlead.events(session, { after: from, ...(clip !== undefined && { clip }), deltas, follow: true, signal });
    for await (const item of releaseWhenIdle(events, after)) {
      if (signal.aborted) break;
      if (!("sequence" in item)) {
        yield { delta: item };
        continue;
      }
      yield { event: item };
      if (isLive || item.sequence < lastSequence) continue;
      isLive = true;
      yield { caughtUp: item.sequence };
    }
  } catch (error) {
    if (!signal.aborted) yield { problem: problemFromError(error) };
  }
  if (FairleadError.isInstance(signal.reason)) yield { problem: problemFromError(signal.reason) };
}
