import type { Subscription } from "@nats-io/transport-node";
import type { StoredMessage } from "./stored-message.ts";
import type { StreamStore } from "./stream-store.ts";

export interface LiveMessage extends StoredMessage {
  /** The sequence of the message before it on the same subject. */
  readonly previous: number;
}

// The server that has the stream's leader learns of a subscription a little later than the server of this connection. A
// frame that it publishes in between is lost, so the log is read again after these times, in milliseconds.
const checksAfterSubscribing = [50, 250, 1_000];
// A quiet session is read again in this interval, in case a live message was lost in another way.
const checkInterval = 20_000;
// A reader that is slower than the writer gets the rest from the log.
const maxQueued = { messages: 256, bytes: 4 << 20 };

/** The frames of a session that the servers publish once they are stored. */
export class LiveMessages implements Disposable {
  readonly #stack = new DisposableStack();
  readonly #subscription: Subscription;
  #queued: LiveMessage[] = [];
  #queuedBytes = 0;
  #mustCheck = false;
  #wake: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(store: StreamStore, session: string, signal: AbortSignal) {
    const wake = (): void => this.#wake();
    for (const one of [signal, store.closed]) {
      one.addEventListener("abort", wake);
      this.#stack.defer(() => one.removeEventListener("abort", wake));
    }
    this.#subscription = store.subscribe("watch a session", store.layout.liveSubjectOf(session), (error, message) => {
      if (error !== null) return this.#check();
      const sequence = Number(message.headers?.get("Nats-Sequence"));
      const previous = Number(message.headers?.get("Nats-Last-Sequence"));
      this.#enqueue({ sequence, previous, subject: message.subject, payload: message.data });
    });
    this.#stack.defer(
      store.onReconnect(() => {
        clearTimeout(this.#timer);
        this.#check();
        this.#schedule(checksAfterSubscribing);
      }),
    );
    this.#schedule(checksAfterSubscribing);
  }

  /** Returns the next message, or `check` when messages may have been lost, or when a signal aborts. */
  async next(): Promise<LiveMessage | "check"> {
    if (this.#queued.length === 0 && !this.#mustCheck) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
    if (!this.#mustCheck) return this.#shift() ?? "check";
    this.#mustCheck = false;
    return "check";
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#subscription.unsubscribe();
    this.#stack.dispose();
  }

  #enqueue(message: LiveMessage): void {
    // The log, which is read next, has this message too.
    if (this.#mustCheck) return;
    this.#queued.push(message);
    this.#queuedBytes += message.payload.byteLength;
    if (this.#queued.length > maxQueued.messages || this.#queuedBytes > maxQueued.bytes) return this.#check();
    this.#wake();
  }

  #shift(): LiveMessage | undefined {
    const message = this.#queued.shift();
    this.#queuedBytes -= message?.payload.byteLength ?? 0;
    return message;
  }

  #check(): void {
    this.#mustCheck = true;
    this.#queued = [];
    this.#queuedBytes = 0;
    this.#wake();
  }

  #schedule([wait = checkInterval, ...rest]: readonly number[]): void {
    this.#timer = setTimeout(() => {
      this.#check();
      this.#schedule(rest);
    }, wait);
    this.#timer.unref();
  }
}
