import type { Delta } from "@fairlead/contract";

/** The live output that waits for one subscriber. More than `maxLength` characters are discarded. */
export class DeltaQueue implements AsyncIterable<Delta> {
  static readonly maxLength = 4 * 1024 ** 2;
  readonly #onEnd: () => void;
  #deltas: Delta[] = [];
  #length = 0;
  #wakeup = Promise.withResolvers<void>();
  #ending: { readonly error: unknown } | undefined;

  /** `onEnd` is called when no further delta can be read. */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(delta: Delta): void {
    // Discarding all at once costs nothing, and what the reader gets next is new.
    if (this.#length > DeltaQueue.maxLength) this.#take();
    this.#deltas.push(delta);
    this.#length += delta.text.length + 64; // 64 stands for the object, so that short deltas are limited too
    this.#wakeup.resolve();
  }

  /** Ends the iteration. The deltas that wait are discarded. */
  end(error?: unknown): void {
    this.#ending ??= { error };
    this.#take();
    this.#wakeup.resolve();
    this.#onEnd();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Delta> {
    try {
      while (this.#ending === undefined) {
        this.#wakeup = Promise.withResolvers();
        if (this.#deltas.length === 0) await this.#wakeup.promise;
        for (const delta of this.#take()) {
          if (this.#ending !== undefined) break;
          yield delta;
        }
      }
    } finally {
      this.end();
    }
    if (this.#ending.error !== undefined) throw this.#ending.error;
  }

  #take(): readonly Delta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    this.#length = 0;
    return deltas;
  }
}
