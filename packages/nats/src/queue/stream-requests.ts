import { FairleadError } from "@fairlead/contract";
import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { RequestSlots } from "./request-slots.ts";
import { isLastingFailure, StreamApiError, type StoredMessage } from "../log/stored-message.ts";

/**
 * What the server said about a message. `duplicate`: an earlier one has its id, which may not be stored safely yet. `unknown`
 * leaves open whether the message is stored.
 */
export type StoreOutcome =
  | { readonly kind: "stored" | "duplicate"; readonly sequence: number }
  | { readonly kind: "unknown"; readonly reason: Error };

export interface StoreOptions {
  /** A message with the id of an earlier one is not stored. */
  readonly messageId?: string;
  /** The sequence of the last message on the subject; 0 when there must be none. */
  readonly expected?: number;
  /** After this time the server removes the message. */
  readonly lifetimeSeconds?: number;
  /** Headers that the server does not know. */
  readonly marks?: Readonly<Record<string, string>>;
}

interface ApiError {
  readonly err_code?: number;
  readonly description?: string;
}

interface ApiMessage {
  readonly subject: string;
  readonly seq: number;
  readonly time: string;
  /** Base64. Absent when it is empty. */
  readonly data?: string;
}

/** A message and the time at which the stream's leader stored it, in milliseconds since 1970 by that server's clock. */
export interface TimedMessage extends StoredMessage {
  readonly storedAt: number;
}

const noMessageFoundCode = 10037;
const requestTimeout = 3_000;
const maxRequests = 128;
// Electing a leader takes 5 to 10 seconds after the death or the pause of a server.
const defaultTimeout = 15_000;

/** Requests to the streams of a fleet, repeated while the servers elect a leader or the connection is lost. */
export class StreamRequests implements Disposable {
  readonly connection: NatsConnection;
  readonly #closing = new AbortController();
  readonly #timeout: number;
  readonly #slots = new RequestSlots(maxRequests);
  readonly #reconnectListeners = new Set<() => void>();

  constructor(connection: NatsConnection, timeout = defaultTimeout) {
    this.connection = connection;
    this.#timeout = timeout;
    void connection.closed().then(() => this.#closing.abort());
    void this.#watchStatus();
  }

  /** Aborts when the part of the engine or its connection is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Throws `unavailable` if the engine is closed. */
  assertOpen(): void {
    if (this.closed.aborted) throw createClosedError();
  }

  /** Calls a function whenever the connection was lost and is there again. Returns how to stop that. */
  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => this.#reconnectListeners.delete(listener);
  }

  /** Sends a message once. Never throws: every failure leaves open whether the message is stored. */
  async storeOnce(subject: string, payload: Uint8Array, options: StoreOptions = {}): Promise<StoreOutcome> {
    const { messageId, expected, lifetimeSeconds, marks = {} } = options;
    const head = headers();
    if (messageId !== undefined) head.set("Nats-Msg-Id", messageId);
    if (expected !== undefined) head.set("Nats-Expected-Last-Subject-Sequence", String(expected));
    if (lifetimeSeconds !== undefined) head.set("Nats-TTL", `${lifetimeSeconds}s`);
    for (const [name, value] of Object.entries(marks)) head.set(name, value);
    try {
      const reply = await this.connection.request(subject, payload, { headers: head, timeout: requestTimeout });
      const { error, seq, duplicate = false } = reply.json<{ error?: ApiError; seq?: number; duplicate?: boolean }>();
      if (error === undefined && seq !== undefined) return { kind: duplicate ? "duplicate" : "stored", sequence: seq };
      return { kind: "unknown", reason: toStreamApiError(error ?? {}) };
    } catch (error) {
      return { kind: "unknown", reason: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** Stores a message that may be stored twice. Returns the sequence of the last one. */
  async store(action: string, subject: string, payload: Uint8Array): Promise<number> {
    return await this.retry(action, async () => {
      const outcome = await this.storeOnce(subject, payload);
      if (outcome.kind === "unknown") throw outcome.reason;
      return outcome.sequence;
    });
  }

  /** Calls the interface of JetStream with a request that may be repeated. */
  async call<Answer>(action: string, call: string, query: object, signal?: AbortSignal): Promise<Answer> {
    return await this.retry(action, () => this.#callOnce<Answer>(call, query), signal);
  }

  /** Returns the last message on a subject. The stream's leader answers, never a replica that lags behind. */
  async readLast(stream: string, subject: string, signal?: AbortSignal): Promise<TimedMessage | undefined> {
    return await this.retry("read", () => this.readOnce(stream, { last_by_subj: subject }), signal);
  }

  /** Returns the message with a sequence, as the leader has it. */
  async readAt(stream: string, sequence: number): Promise<TimedMessage | undefined> {
    return await this.retry("read", () => this.readOnce(stream, { seq: sequence }));
  }

  /**
   * Repeats a request that may be repeated, for the time that an election takes. Throws the signal's reason if it aborts. An
   * attempt must not call this method: it would wait for a second slot.
   */
  async retry<Result>(action: string, attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const stop = signal === undefined ? this.closed : AbortSignal.any([signal, this.closed]);
    try {
      this.assertOpen();
      const slot = this.#slots.acquire();
      try {
        await untilAborted(slot, stop);
      } catch (error) {
        void slot.then(() => this.#slots.release()).catch(() => {});
        throw error;
      }
      try {
        return await this.#repeat(action, attempt, stop);
      } finally {
        this.#slots.release();
      }
    } catch (error) {
      signal?.throwIfAborted();
      this.assertOpen();
      throw error;
    }
  }

  async #repeat<Result>(action: string, attempt: () => Promise<Result>, stop: AbortSignal): Promise<Result> {
    const end = performance.now() + this.#timeout;
    for (let pause = 10; ; pause = Math.min(2 * pause, 500)) {
      try {
        return await untilAborted(attempt(), stop);
      } catch (error) {
        stop.throwIfAborted();
        if (FairleadError.isInstance(error)) throw error;
        if (performance.now() > end || isLasting(error)) {
          const unreachable = createUnreachableError(action, error);
          this.#slots.rejectWaiting(this.#timeout, unreachable);
          throw unreachable;
        }
      }
      await delay(pause, undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Ends the calls under way with `unavailable`. The connection stays open. */
  [Symbol.dispose](): void {
    this.#closing.abort(createClosedError());
  }

  /** Asks the leader of a stream for one message, once. */
  async readOnce(stream: string, query: object): Promise<TimedMessage | undefined> {
    try {
      const { message } = await this.#callOnce<{ message: ApiMessage }>(`STREAM.MSG.GET.${stream}`, query);
      const payload = Buffer.from(message.data ?? "", "base64");
      return { sequence: message.seq, subject: message.subject, payload, storedAt: Date.parse(message.time) };
    } catch (error) {
      if (error instanceof StreamApiError && error.code === noMessageFoundCode) return undefined;
      throw error;
    }
  }

  async #callOnce<Answer>(call: string, query: object): Promise<Answer> {
    const request = JSON.stringify(query);
    const reply = await this.connection.request(`$JS.API.${call}`, request, { timeout: requestTimeout });
    const answer = reply.json<Answer & { error?: ApiError }>();
    if (answer.error !== undefined) throw toStreamApiError(answer.error);
    return answer;
  }

  async #watchStatus(): Promise<void> {
    const statuses = this.connection.status();
    // The client's iterator ends only by its own method, and would stay with a connection that others use.
    this.closed.addEventListener("abort", () => (statuses as { stop?: () => void }).stop?.());
    for await (const status of statuses) {
      if (status.type === "reconnect") for (const listener of this.#reconnectListeners) listener();
    }
  }
}

/** Waits for a promise. Throws the signal's reason if that aborts earlier. */
export async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  promise.catch(() => {}); // It may fail when nothing waits for it any more.
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Whether a request fails again if it is repeated: a permission or the stream is missing. */
export function isLasting(error: unknown): boolean {
  const isMissing = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
  return isMissing || isLastingFailure(error);
}

function toStreamApiError({ description, err_code: code }: ApiError): StreamApiError {
  return new StreamApiError(description ?? `code ${code}`, code);
}

function createClosedError(): FairleadError {
  return new FairleadError("unavailable", "The engine is closed.");
}

function createUnreachableError(action: string, cause: unknown): FairleadError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new FairleadError("unavailable", `The servers of the fleet did not ${action}: ${reason}.`, { cause });
}
