import {
  createInbox,
  headers,
  PermissionViolationError,
  type Msg,
  type MsgCallback,
  type NatsConnection,
  type Subscription,
} from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { readDirectBatch, type DirectBatchRequest } from "./direct-batch.ts";
import {
  createUnavailableError,
  isLastingFailure,
  StreamApiError,
  type MessageHeader,
  type StoredMessage,
  type StreamState,
} from "./stored-message.ts";
import type { StreamLayout } from "./stream-layout.ts";

/** What the server said about a message. Anything but `stored` says nothing certain: the tail of the session decides. */
export type PublishOutcome =
  | { readonly kind: "stored"; readonly sequence: number }
  /** The compare-and-set failed. This sending has stored nothing. */
  | { readonly kind: "refused"; readonly reason: Error }
  /** The message may be stored: no answer came, or the server called it a duplicate, or it failed in another way. */
  | { readonly kind: "unknown"; readonly reason: Error };

export interface PublishOptions {
  readonly messageId: string;
  /** The sequence of the last message on the subject; 0 when there must be none. */
  readonly expected: number;
  /** Marks the message that ends a session's history, so that a listing of headers finds it. */
  readonly isForget?: boolean;
}

interface ApiError {
  readonly code: number;
  readonly err_code?: number;
  readonly description?: string;
}

interface ApiMessage {
  readonly subject: string;
  readonly seq: number;
  readonly time: string;
  /** Base64, like the headers. Absent when it is empty. */
  readonly data?: string;
  readonly hdrs?: string;
}

/** The header of a message that ends a session's history. */
export const forgetHeader = "Fairlead-Forget";

const wrongLastSequenceCodes = [10071, 10164];
const noMessageFoundCode = 10037;
const publishTimeout = 2_000;
const requestTimeout = 2_000;

export interface StreamStoreOptions {
  readonly connection: NatsConnection;
  readonly layout: StreamLayout;
  /** Aborts when the log or its connection is closed. */
  readonly closed: AbortSignal;
  /** How long a call waits for servers that do not answer, in milliseconds. */
  readonly timeout: number;
  /** Called when the servers refused a frame, or did not answer. */
  readonly onRefused?: () => void;
}

/** Reads and writes the messages of a log's streams. */
export class StreamStore {
  readonly connection: NatsConnection;
  readonly layout: StreamLayout;
  readonly closed: AbortSignal;
  readonly timeout: number;
  readonly onRefused: () => void;
  readonly #reconnectListeners = new Set<() => void>();
  /** The direct reads that wait for an answer, by the subject of the request. */
  readonly #directReads = new Map<AbortController, string>();

  constructor({ connection, layout, closed, timeout, onRefused = () => {} }: StreamStoreOptions) {
    this.connection = connection;
    this.layout = layout;
    this.closed = closed;
    this.timeout = timeout;
    this.onRefused = onRefused;
    void this.#watchStatus();
  }

  /** Calls a function whenever the connection was lost and is there again. Returns how to stop that. */
  onReconnect(listener: () => void): () => void {
    this.#reconnectListeners.add(listener);
    return () => this.#reconnectListeners.delete(listener);
  }

  /** Subscribes to a subject. Throws `unavailable` if the connection is closed. */
  subscribe(action: string, subject: string, callback: MsgCallback<Msg>): Subscription {
    try {
      return this.connection.subscribe(subject, { callback });
    } catch (error) {
      throw createUnavailableError(action, error);
    }
  }

  /** Sends a message once. Never throws: every failure leaves open whether the message is stored. */
  async publish(subject: string, payload: Uint8Array, options: PublishOptions): Promise<PublishOutcome> {
    const head = headers();
    head.set("Nats-Msg-Id", options.messageId);
    head.set("Nats-Expected-Last-Subject-Sequence", String(options.expected));
    if (options.isForget === true) head.set(forgetHeader, "1");
    try {
      const reply = await this.connection.request(subject, payload, { headers: head, timeout: publishTimeout });
      const { error, seq, duplicate } = reply.json<{ error?: ApiError; seq?: number; duplicate?: boolean }>();
      if (error !== undefined) {
        const reason = new StreamApiError(error.description ?? `code ${error.err_code}`, error.err_code);
        const isRefused = wrongLastSequenceCodes.includes(error.err_code ?? 0);
        return { kind: isRefused ? "refused" : "unknown", reason };
      }
      // A duplicate is looked up: its acknowledgment may precede the storing of the first sending.
      if (seq === undefined || duplicate === true) return { kind: "unknown", reason: new Error("sent before") };
      return { kind: "stored", sequence: seq };
    } catch (error) {
      return { kind: "unknown", reason: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** Returns the last message on a subject. The stream's leader answers, never a replica that lags behind. */
  async readLast(session: string, signal?: AbortSignal): Promise<StoredMessage | undefined> {
    return await this.#readFromLeader(session, { last_by_subj: this.layout.subjectOf(session) }, signal);
  }

  /** Returns the first message of a session at a sequence or after it, as the leader has it. */
  async readNext(session: string, sequence: number, signal?: AbortSignal): Promise<StoredMessage | undefined> {
    const query = { seq: Math.max(1, sequence), next_by_subj: this.layout.subjectOf(session) };
    return await this.#readFromLeader(session, query, signal);
  }

  /** Returns the message with a sequence, as the leader has it. */
  async readAt(session: string, sequence: number, signal?: AbortSignal): Promise<StoredMessage | undefined> {
    return await this.#readFromLeader(session, { seq: sequence }, signal);
  }

  /** Returns the header of the first message of a stream at a sequence or after it, as the leader has it. */
  async readNextHeader(partition: number, sequence: number): Promise<MessageHeader | undefined> {
    const query = { seq: Math.max(1, sequence), next_by_subj: this.layout.allSubjects(partition) };
    const message = await this.#getMessage(partition, query);
    if (message === undefined) return undefined;
    const isForget = Buffer.from(message.hdrs ?? "", "base64").includes(`${forgetHeader}:`);
    return { sequence: message.seq, subject: message.subject, time: Date.parse(message.time) * 1e6, isForget };
  }

  /** Reads several messages. Any replica answers, and one that lags behind has fewer of them. */
  async readBatch(partition: number, request: DirectBatchRequest, signal?: AbortSignal): Promise<StoredMessage[]> {
    const stream = this.layout.streamName(partition);
    const attempt = async (): Promise<StoredMessage[]> => {
      const denied = new AbortController();
      this.#directReads.set(denied, `$JS.API.DIRECT.GET.${stream}`);
      const stops = [denied.signal, this.closed, ...(signal === undefined ? [] : [signal])];
      try {
        const stop = AbortSignal.any(stops);
        return await readDirectBatch(this.connection, { stream, reply: createInbox(), ...request }, stop);
      } finally {
        this.#directReads.delete(denied);
      }
    };
    return await this.retry("read", attempt, signal);
  }

  /** Removes the messages of a session up to a sequence, durably. */
  async purge(session: string, upTo: number): Promise<void> {
    const stream = this.layout.streamName(this.layout.partitionOf(session));
    await this.retry("remove a session", async () => {
      const query = { filter: this.layout.subjectOf(session), seq: upTo + 1 };
      const reply = await this.#request(`STREAM.PURGE.${stream}`, query);
      const { error } = reply.json<{ error?: ApiError }>();
      if (error !== undefined) throw toStreamApiError(error);
    });
  }

  /** Returns the state of a stream, as its leader has it. */
  async readState(partition: number): Promise<StreamState> {
    const stream = this.layout.streamName(partition);
    return await this.retry("read", async () => {
      const reply = await this.#request(`STREAM.INFO.${stream}`, {});
      const { error, created, state } = reply.json<{
        error?: ApiError;
        created: string;
        state: { last_seq: number; messages: number };
      }>();
      if (error !== undefined) throw toStreamApiError(error);
      return { created, lastSequence: state.last_seq, messages: state.messages };
    });
  }

  async #watchStatus(): Promise<void> {
    const statuses = this.connection.status();
    // The client's iterator ends only by its own method, and would stay with a connection that others use.
    this.closed.addEventListener("abort", () => (statuses as { stop?: () => void }).stop?.());
    for await (const status of statuses) {
      if (status.type === "reconnect") for (const listener of this.#reconnectListeners) listener();
      if (status.type === "error" && status.error instanceof PermissionViolationError) this.#deny(status.error);
    }
  }

  /** Ends the direct reads that the servers do not permit. No answer comes for them. */
  #deny(error: PermissionViolationError): void {
    for (const [controller, subject] of this.#directReads) if (subject === error.subject) controller.abort(error);
  }

  async #readFromLeader(
    session: string,
    query: object,
    signal: AbortSignal | undefined,
  ): Promise<StoredMessage | undefined> {
    const message = await this.#getMessage(this.layout.partitionOf(session), query, signal);
    if (message === undefined) return undefined;
    const payload = Buffer.from(message.data ?? "", "base64");
    return { sequence: message.seq, subject: message.subject, payload };
  }

  async #getMessage(partition: number, query: object, signal?: AbortSignal): Promise<ApiMessage | undefined> {
    const stream = this.layout.streamName(partition);
    const attempt = async (): Promise<ApiMessage | undefined> => {
      const reply = await this.#request(`STREAM.MSG.GET.${stream}`, query);
      const { error, message } = reply.json<{ error?: ApiError; message?: ApiMessage }>();
      if (error?.err_code === noMessageFoundCode) return undefined;
      if (error !== undefined) throw toStreamApiError(error);
      if (message === undefined) throw new Error("an empty answer");
      return message;
    };
    return await this.retry("read", attempt, signal);
  }

  async #request(call: string, query: object): Promise<Msg> {
    return await this.connection.request(`$JS.API.${call}`, JSON.stringify(query), { timeout: requestTimeout });
  }

  /**
   * Repeats a request that has no effect or that may be repeated, while the servers elect a leader. Throws the signal's
   * reason as soon as it aborts.
   */
  async retry<Result>(action: string, attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const end = performance.now() + this.timeout;
    for (let pause = 10; ; pause = Math.min(2 * pause, 500)) {
      signal?.throwIfAborted();
      if (this.closed.aborted) throw createUnavailableError(action);
      try {
        return await (signal === undefined ? attempt() : untilAborted(attempt(), signal));
      } catch (error) {
        signal?.throwIfAborted();
        if (this.closed.aborted || performance.now() > end || isLastingFailure(error)) {
          throw createUnavailableError(action, error);
        }
      }
      const stop = signal === undefined ? this.closed : AbortSignal.any([signal, this.closed]);
      await delay(pause, undefined, { signal: stop }).catch(() => {});
    }
  }
}

function toStreamApiError({ description, err_code }: ApiError): StreamApiError {
  return new StreamApiError(description ?? `code ${err_code}`, err_code);
}

/** Waits for a promise. Throws the signal's reason if that aborts earlier. */
async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
