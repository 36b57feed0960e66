import { encodeMessage, maxBodySize, type LargeBody, type ProcessRequest } from "./bus-message.ts";
import type { BusLink } from "./bus-link.ts";

/** Larger bodies are fetched in parts of this size. Servers accept messages of 1 MiB unless they are told otherwise. */
export const partSize = 512 * 1024;

// How long a body is kept for a reader that asks for no part, and how long a reader waits for a part.
const readerTimeout = 15_000;
const partTimeout = 10_000;

/** A body that waits for its reader. Disposing drops it. */
export interface HeldBody extends Disposable {
  readonly large: LargeBody;
  /** Resolves when the reader has the last part, or asks for no more. */
  readonly released: Promise<void>;
}

interface StoredBody {
  readonly body: Uint8Array;
  readonly timer: NodeJS.Timeout;
  readonly release: () => void;
}

/**
 * Bodies that are too large for one message. The reader asks for part after part, so that a slow one gets no more than it can
 * take. Servers disconnect a client for which too much waits.
 */
export class LargeBodies {
  readonly #link: BusLink;
  readonly #bodies = new Map<string, StoredBody>();

  constructor(link: BusLink) {
    this.#link = link;
  }

  /** Keeps a body until its reader has it. Throws if it is too large. */
  hold(body: Uint8Array): HeldBody {
    if (body.length > maxBodySize) throw new RangeError(`${body.length} bytes are more than ${maxBodySize}.`);
    const key = this.#link.nextRequest();
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const release = (): void => {
      clearTimeout(this.#bodies.get(key)?.timer);
      this.#bodies.delete(key);
      resolve();
    };
    this.#bodies.set(key, { body, timer: setTimeout(release, readerTimeout).unref(), release });
    return { large: { holder: this.#link.id, key, size: body.length }, released, [Symbol.dispose]: release };
  }

  /** Returns a part of a body, or undefined if it is not kept. */
  readPart({ key, part }: Extract<ProcessRequest, { type: "part" }>): Uint8Array | undefined {
    const stored = this.#bodies.get(key);
    const start = part * partSize;
    if (stored === undefined || start >= stored.body.length) return undefined;
    stored.timer.refresh();
    const end = start + partSize;
    // The part is sent before the body is dropped, and the caller of this method sends it at once.
    if (end >= stored.body.length) queueMicrotask(stored.release);
    return stored.body.subarray(start, end);
  }

  /** Fetches a body from the bus that has it. Throws if that bus does not answer, or dropped it. */
  async fetch({ holder, key, size }: LargeBody): Promise<Uint8Array> {
    const subject = this.#link.subjects.process(holder);
    const parts: Uint8Array[] = [];
    for (let start = 0; start < size; start += partSize) {
      const message = encodeMessage({ type: "part", key, part: start / partSize } satisfies ProcessRequest);
      const signal = AbortSignal.any([this.#link.closed, AbortSignal.timeout(partTimeout)]);
      const { data } = await this.#link.request(subject, message, signal);
      if (data.length !== Math.min(partSize, size - start)) throw new Error("The sender has dropped the message.");
      parts.push(data);
    }
    return Buffer.concat(parts);
  }

  releaseAll(): void {
    for (const { release } of this.#bodies.values()) release();
  }
}
