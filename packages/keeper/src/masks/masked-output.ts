import type { KeeperClock } from "../keeper-clock.ts";
import type { Masks } from "./masks.ts";
import { StreamMasker } from "./stream-masker.ts";

export type OutputKind = "out" | "err" | "screen";

/**
 * How long bytes that may begin a secret text are held back, in milliseconds. A person waits for a screen. In a pipe,
 * they are the end of an unfinished line, which a protocol of lines cannot use yet.
 */
const holdMs: Readonly<Record<OutputKind, number>> = { out: 500, err: 500, screen: 50 };

export interface MaskedOutputOptions {
  readonly masks: Masks;
  readonly clock: KeeperClock;
  /** Records output. A promise pauses the stream. */
  readonly write: (kind: OutputKind, bytes: Uint8Array) => Promise<void> | undefined;
}

/** Masks the output of one process, also where a secret text is split over chunks. */
export class MaskedOutput {
  readonly #options: MaskedOutputOptions;
  readonly #streams = new Map<OutputKind, { readonly masker: StreamMasker; timer?: Disposable }>();

  constructor(options: MaskedOutputOptions) {
    this.#options = options;
  }

  push(kind: OutputKind, bytes: Uint8Array): Promise<void> | undefined {
    const { masks, clock, write } = this.#options;
    if (masks.isEmpty) return write(kind, bytes);
    let stream = this.#streams.get(kind);
    if (stream === undefined) {
      stream = { masker: new StreamMasker(() => masks.patterns) };
      this.#streams.set(kind, stream);
    }
    const { masker } = stream;
    stream.timer?.[Symbol.dispose]();
    const settled = masker.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    if (masker.isHolding) stream.timer = clock.after(holdMs[kind], () => void this.#release(kind, masker));
    return settled.length === 0 ? undefined : write(kind, settled);
  }

  /** Records what is held back. Called when no more output comes. */
  end(): void {
    for (const [kind, { masker, timer }] of this.#streams) {
      timer?.[Symbol.dispose]();
      void this.#release(kind, masker);
    }
  }

  #release(kind: OutputKind, masker: StreamMasker): Promise<void> | undefined {
    return masker.isHolding ? this.#options.write(kind, masker.release()) : undefined;
  }
}
