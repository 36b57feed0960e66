import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import { BusSubjects } from "./bus-subjects.ts";

export interface LinkListener {
  onDisconnect?(): void;
  onReconnect?(): void;
}

// A server learns of a subscription at another server a little later than the client that made it.
const propagationTime = 50;

/** What the parts of a bus share: the connection and its state, and the names of subjects. */
export class BusLink {
  /** Identifies this bus among those of all processes. */
  readonly id = randomBytes(12).toString("hex");
  readonly subjects: BusSubjects;
  readonly #connection: NatsConnection;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<LinkListener>();
  #isConnected = true;
  #requests = 0;

  constructor(connection: NatsConnection, namespace: string) {
    this.#connection = connection;
    this.subjects = new BusSubjects(namespace);
    void connection.closed().then(() => this.close());
    void this.#watchStatus();
  }

  /** Aborts when the bus or the connection is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether the servers can be reached, as far as the client has noticed. */
  get canSend(): boolean {
    return this.#isConnected && !this.closed.aborted && !this.#connection.isClosed();
  }

  get isClustered(): boolean {
    return this.#connection.info?.cluster !== undefined;
  }

  assertOpen(): void {
    if (this.closed.aborted || this.#connection.isClosed()) throw createClosedError();
  }

  /** Returns a name for the next request of this bus. */
  nextRequest(): string {
    return String(this.#requests++);
  }

  /** Calls a listener when the connection is lost, and when it is there again. Returns how to stop that. */
  listen(listener: LinkListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Waits until the servers can be reached, or until the bus is closed. */
  async whenConnected(): Promise<void> {
    if (this.canSend || this.closed.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.listen({ onReconnect: resolve });
    await untilAborted(promise, this.closed).catch(() => {});
    stop();
  }

  /**
   * Sends a message, or drops it. Without a connection the client would keep all messages in memory and send them later.
   * Returns whether it was sent.
   */
  publish(subject: string, payload: Uint8Array | string, reply?: string): boolean {
    if (!this.canSend) return false;
    try {
      this.#connection.publish(subject, payload, reply === undefined ? {} : { reply });
      return true;
    } catch {
      return false;
    }
  }

  /** Subscribes to a subject. The client subscribes again after each reconnect. `deny` gets the refusal of a server. */
  subscribe(subject: string, receive: (message: Msg) => void, deny: (error: Error) => void = () => {}): Subscription {
    this.assertOpen();
    return this.#connection.subscribe(subject, {
      callback: (error, message) => {
        // An exception would end the client's loop that reads all messages of the connection.
        try {
          if (error === null) receive(message);
          else deny(error);
        } catch {
          // A message that cannot be handled is dropped, like one that is lost.
        }
      },
    });
  }

  /** Returns a subject for the answers to a request, outside those that `subjects.reply(id, "*")` matches. */
  createInbox(): string {
    return this.subjects.reply(this.id, `answer.${this.nextRequest()}`);
  }

  /** Returns the first answer to a request. Throws if none comes in time. */
  async request(subject: string, payload: Uint8Array, signal: AbortSignal): Promise<Msg> {
    const { promise, resolve } = Promise.withResolvers<Msg>();
    const inbox = this.createInbox();
    const subscription = this.subscribe(inbox, resolve);
    try {
      this.publish(subject, payload, inbox);
      return await untilAborted(promise, signal);
    } finally {
      subscription.unsubscribe();
    }
  }

  /** Waits until the server has handled all that was sent. */
  async flush(signal: AbortSignal = this.closed): Promise<void> {
    signal.throwIfAborted();
    await untilAborted(this.#connection.flush(), signal);
  }

  /** Waits until all servers of the cluster know the subscriptions that were flushed. */
  async whenPropagated(signal: AbortSignal): Promise<void> {
    if (this.isClustered) await sleep(propagationTime, undefined, { signal });
  }

  close(): void {
    this.#closing.abort(createClosedError());
  }

  async #watchStatus(): Promise<void> {
    const statuses = this.#connection.status();
    // The client's iterator ends only by its own method, and would stay with a connection that others use.
    this.closed.addEventListener("abort", () => (statuses as { stop?: () => void }).stop?.());
    for await (const { type } of statuses) {
      if (type !== "disconnect" && type !== "reconnect") continue;
      this.#isConnected = type === "reconnect";
      for (const listener of this.#listeners) {
        if (type === "reconnect") listener.onReconnect?.();
        else listener.onDisconnect?.();
      }
    }
  }
}

export function createClosedError(): FairleadError {
  return new FairleadError("unavailable", "The engine is closed.");
}

/** Waits for a promise. Throws the signal's reason if that aborts earlier. */
export async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason as Error);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
