import type { Delta, Event } from "@fairlead/contract";
import { sequenceBefore, toDelta } from "../live-delta.ts";

export interface MergeOptions {
  /** The sequence of the event before the first one. */
  readonly after: number;
  readonly signal: AbortSignal;
}

/**
 * Merges the events of a session with its live output. Events come in order and without gaps. Live output is yielded after the
 * event that it followed, and dropped if a later event came first: that one has its text, or a later one has. The screen of a
 * terminal is in no event, so that it is never dropped. Both sources wait for a slow reader, and both must end when the signal
 * aborts. Throws if the source of events fails.
 */
export async function* mergeLiveOutput(
  events: AsyncIterable<Event>,
  deltas: AsyncIterable<Delta>,
  { after, signal }: MergeOptions,
): AsyncGenerator<Event | Delta> {
  let wake = Promise.withResolvers<void>();
  const onChange = (): void => wake.resolve();
  using nextEvent = new OneAhead(events, onChange);
  // Live output may have gaps: an error of it ends it, and not the events.
  using nextDelta = new OneAhead(deltas, onChange);
  let last = after;
  while (!signal.aborted) {
    const delta = nextDelta.item;
    const position = delta === undefined || delta.type === "screen" ? undefined : sequenceBefore(delta);
    // Live output whose event has not come yet waits for it.
    if (delta !== undefined && (position ?? last) <= last) {
      nextDelta.advance();
      if ((position ?? last) === last) yield toDelta(delta);
      continue;
    }
    const event = nextEvent.item;
    if (event !== undefined) {
      last = event.sequence;
      nextEvent.advance();
      yield event;
      continue;
    }
    if (nextEvent.failure !== undefined) throw nextEvent.failure.error;
    if (nextEvent.hasEnded) return;
    await wake.promise;
    wake = Promise.withResolvers();
  }
}

/** Reads one item of a source ahead, so that two sources can be awaited and a slow reader needs no queue. */
class OneAhead<Item> implements Disposable {
  readonly #iterator: AsyncIterator<Item>;
  readonly #onChange: () => void;
  item: Item | undefined;
  hasEnded = false;
  failure: { readonly error: unknown } | undefined;

  /** `onChange` is called when there is an item, an end or a failure. */
  constructor(source: AsyncIterable<Item>, onChange: () => void) {
    this.#iterator = source[Symbol.asyncIterator]();
    this.#onChange = onChange;
    this.advance();
  }

  /** Drops the item and reads the next one. */
  advance(): void {
    this.item = undefined;
    this.#iterator.next().then(
      (result) => {
        if (result.done === true) this.hasEnded = true;
        else this.item = result.value;
        this.#onChange();
      },
      (error: unknown) => {
        this.failure = { error };
        this.#onChange();
      },
    );
  }

  /** Ends the source, or lets it end when a read that is under way does. */
  [Symbol.dispose](): void {
    void this.#iterator.return?.().catch(() => {});
  }
}
