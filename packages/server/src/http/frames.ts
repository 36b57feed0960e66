import type { Fairlead, Frame } from "@fairlead/api";
import { problemOf } from "@fairlead/api";
import { type Delta, type Event, FairleadError } from "@fairlead/contract";
import { whileAsked } from "./while-asked.ts";

export interface Reading {
  readonly session: string;
  readonly after: number;
  readonly deltas: boolean;
  /** Ends it; quietly, unless what it is aborted with is an error to be told. */
  readonly signal: AbortSignal;
  /** Told when the reading begins; what it gives is disposed of when that ends. */
  readonly following?: () => Disposable | undefined;
}

/** A session as frames: what was, a mark, and then what comes. What goes wrong becomes the last frame. */
export async function* framesOf(fairlead: Fairlead, reading: Reading): AsyncGenerator<Frame> {
  const { session, after, deltas, signal } = reading;
  using _following = reading.following?.();
  try {
    // Everything beyond this number came after the stream was opened, whether or not it is in the journal by now.
    const { last } = await fairlead.session(session);
    let live = after >= last;
    if (live) yield { caughtUp: after };
    const events = (from: number): AsyncIterable<Event | Delta> =>
      fairlead.events(session, { after: from, deltas, follow: true, signal });
    for await (const one of whileAsked(events, after)) {
      if (signal.aborted) break;
      if (!("sequence" in one)) {
        yield { delta: one };
        continue;
      }
      yield { event: one };
      if (live || one.sequence < last) continue;
      live = true;
      yield { caughtUp: one.sequence };
    }
  } catch (error) {
    if (!signal.aborted) yield { problem: problemOf(error) };
  }
  if (FairleadError.isInstance(signal.reason)) yield { problem: problemOf(signal.reason) };
}
