import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { KeeperDeadlines } from "../keeper-deadlines.ts";
import { SocketLineSplitter } from "./socket-line-splitter.ts";
import { RequestRejected } from "./request-rejected.ts";
import {
  type AttendRequest,
  type KeeperAck,
  type KeeperRequest,
  type KeeperHello,
  keeperProtocolName,
  type KeeperReply,
} from "./messages.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { keeperTimeoutMs, KeeperUnresponsive } from "./keeper-unresponsive.ts";
import { socketPath } from "../session-folder.ts";

/** A connection to a living keeper. Closing it does not affect the keeper and its processes. */
export interface KeeperConnection extends AsyncDisposable {
  readonly hello: KeeperHello;
  /** The extensions of the first protocol version that the keeper supports. */
  readonly features: ReadonlySet<string>;
  /**
   * Resolves when the request is recorded. Rejects with `RequestRejected` if the keeper did not record it, and with
   * `KeeperGone` if the connection ended first: the request may or may not be recorded. A keeper that does not answer in
   * time ends the connection with `KeeperUnresponsive`.
   */
  send(request: KeeperRequest): Promise<{ readonly seq: number; readonly duplicate: boolean }>;
  /**
   * Sends until when the agents may work, and does not wait. Does nothing if the keeper is gone, or too old to know the
   * request.
   */
  attend(deadlines: KeeperDeadlines): void;
  /**
   * Yields the last sequence of the spool when it grows, skipping values that were not read in time. Ends with the
   * connection, and throws `KeeperUnresponsive` if the keeper did not answer in time.
   */
  readonly wakes: AsyncIterable<number>;
  /** The last record that survives a loss of power, as reported by the keeper; 0 until it has reported one. */
  readonly syncedSeq: number;
  /** Settles when the connection has ended. Never rejects. */
  readonly closed: Promise<void>;
}

export interface ConnectKeeperOptions {
  /** Aborting the signal ends the connection at any time. */
  readonly signal?: AbortSignal | undefined;
  /** How long the keeper may send nothing while an answer is due, in milliseconds. Default: `keeperTimeoutMs()`. */
  readonly timeoutMs?: number;
}

/** Connects to the keeper of a session folder. Throws `KeeperUnresponsive` if it does not greet in time. */
export async function connectKeeper(folder: string, options: ConnectKeeperOptions = {}): Promise<KeeperConnection> {
  const { signal, timeoutMs = keeperTimeoutMs() } = options;
  signal?.throwIfAborted();
  const socket = connect({ path: socketPath(folder), ...(signal && { signal }) });
  await once(socket, "connect");
  socket.on("error", () => {}); // the connection closes after any error
  const connection = new SocketKeeperConnection(socket, timeoutMs);
  const { hello } = await connection.greeting;
  if (hello !== keeperProtocolName) {
    socket.destroy();
    throw new Error(
      `The keeper uses protocol ${hello}, but this program needs ${keeperProtocolName}. Use the version of Fairlead that started the session.`,
    );
  }
  return connection;
}

class SocketKeeperConnection implements KeeperConnection {
  /** The first message. Rejects with `KeeperGone` if the connection ends before it. */
  readonly greeting: Promise<KeeperHello>;
  readonly closed: Promise<void>;
  readonly wakes: AsyncIterable<number>;
  readonly #socket: Socket;
  readonly #greeting = Promise.withResolvers<KeeperHello>();
  #hello: KeeperHello | undefined;
  #features: ReadonlySet<string> = new Set();
  /** Replies arrive in the order of their requests. */
  readonly #pendingReplies: PromiseWithResolvers<KeeperAck>[] = [];
  #latestSeq = 0;
  #syncedSeq = 0;
  #nextChange = Promise.withResolvers<void>();
  #isOpen = true;
  readonly #timeoutMs: number;
  /** Runs while an answer is due. Any message restarts it, because a keeper that has much to do answers late. */
  #watchdog: NodeJS.Timeout | undefined;
  #receivedChunks = 0;
  #failure: KeeperUnresponsive | undefined;

  constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    this.greeting = this.#greeting.promise;
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#handleClose();
        resolve();
      });
    });
    this.#listen();
    this.#watch();
    this.wakes = { [Symbol.asyncIterator]: () => this.#wakes() };
  }

  get hello(): KeeperHello {
    if (this.#hello === undefined) throw new Error("The keeper has not sent its hello yet.");
    return this.#hello;
  }

  get features(): ReadonlySet<string> {
    return this.#features;
  }

  get syncedSeq(): number {
    return this.#syncedSeq;
  }

  async send(request: KeeperRequest): Promise<KeeperAck> {
    if (!this.#isOpen) throw this.#failure ?? new KeeperGone();
    const pending = Promise.withResolvers<KeeperAck>();
    this.#pendingReplies.push(pending);
    if (this.#pendingReplies.length === 1) this.#watch();
    this.#socket.write(`${JSON.stringify(request)}\n`);
    return pending.promise;
  }

  attend({ confirmedAt, freezeAt, endAt, onlyShortens = false }: KeeperDeadlines): void {
    if (!this.#isOpen || !this.#features.has("attend") || !this.#socket.writable) return;
    const times = { confirmedAt: `${confirmedAt}`, freezeAt: `${freezeAt}`, endAt: `${endAt}`, onlyShortens };
    this.#socket.write(`${JSON.stringify({ do: "attend", id: "attend", ...times } satisfies AttendRequest)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  /**
   * Uses events instead of an async iterator, which costs more: each keeper sends a message whenever its agent prints.
   */
  #listen(): void {
    const splitter = new SocketLineSplitter();
    this.#socket.on("data", (chunk: Buffer) => {
      this.#receivedChunks += 1;
      this.#watchdog?.refresh();
      try {
        for (const line of splitter.push(chunk)) this.#handleReply(JSON.parse(line) as KeeperReply);
      } catch {
        this.#socket.destroy(); // the stream cannot be parsed any further
      }
      if (this.#hello !== undefined && this.#pendingReplies.length === 0) this.#unwatch();
    });
  }

  /** Starts the watchdog. A wait on a keeper without a limit would block the caller as long as the process is stopped. */
  #watch(): void {
    this.#watchdog ??= setTimeout(() => {
      const received = this.#receivedChunks;
      // If this process was busy, answers wait in the socket. They are read before this callback runs.
      setImmediate(() => {
        if (this.#watchdog === undefined || this.#receivedChunks > received) return;
        this.#failure = new KeeperUnresponsive(this.#timeoutMs);
        this.#socket.destroy();
      });
    }, this.#timeoutMs);
  }

  #unwatch(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
  }

  #handleClose(): void {
    this.#isOpen = false;
    this.#unwatch();
    const error = this.#failure ?? new KeeperGone();
    this.#greeting.reject(error);
    for (const pending of this.#pendingReplies.splice(0)) pending.reject(error);
    this.#nextChange.resolve();
  }

  #handleReply(reply: KeeperReply): void {
    if ("hello" in reply) return this.#handleHello(reply);
    if ("ack" in reply) return this.#pendingReplies.shift()?.resolve(reply);
    if ("error" in reply) {
      return this.#pendingReplies.shift()?.reject(new RequestRejected(reply.error, reply.message, reply.retryable));
    }
    if (!("seq" in reply)) return; // a message of a newer keeper
    this.#latestSeq = reply.seq;
    this.#syncedSeq = reply.synced ?? this.#syncedSeq;
    this.#nextChange.resolve();
    this.#nextChange = Promise.withResolvers();
  }

  #handleHello(hello: KeeperHello): void {
    this.#hello = hello;
    this.#features = new Set(hello.features);
    this.#latestSeq = hello.lastSeq;
    this.#greeting.resolve(hello);
  }

  async *#wakes(): AsyncGenerator<number> {
    for (let yieldedSeq = 0; ;) {
      const change = this.#nextChange.promise;
      if (this.#latestSeq > yieldedSeq) yield (yieldedSeq = this.#latestSeq);
      else if (this.#isOpen) await change;
      else if (this.#failure === undefined) return;
      else throw this.#failure;
    }
  }
}
