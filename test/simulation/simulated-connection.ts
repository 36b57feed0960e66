import {
  RequestRejected,
  KeeperGone,
  type KeeperAck,
  type KeeperRequest,
  type KeeperHello,
  type KeeperConnection,
  type KeeperReply,
} from "@fairlead/keeper";
import type { SimulatedProcess } from "./simulated-process.ts";

/** The direction from the client to the keeper. */
interface ConnectionTransport {
  write(request: KeeperRequest): void;
  close(): void;
}

/**
 * The client's end of a connection. It behaves like the real one, but no promise settles in a process that has ended.
 */
export class SimulatedConnection implements KeeperConnection {
  readonly hello: KeeperHello;
  readonly features: ReadonlySet<string>;
  readonly closed: Promise<void>;
  readonly wakes: AsyncIterable<number>;
  readonly #process: SimulatedProcess;
  readonly #transport: ConnectionTransport;
  readonly #closed = Promise.withResolvers<void>();
  readonly #pendingAcks: PromiseWithResolvers<KeeperAck>[] = [];
  #lastSeq: number;
  #synced = 0;
  #wakeup = Promise.withResolvers<void>();
  #isOpen = true;

  constructor(hello: KeeperHello, process: SimulatedProcess, transport: ConnectionTransport) {
    this.hello = hello;
    this.features = new Set(hello.features);
    this.#lastSeq = hello.lastSeq;
    this.#process = process;
    this.#transport = transport;
    this.closed = this.#closed.promise;
    this.wakes = { [Symbol.asyncIterator]: () => this.#wakes() };
  }

  get syncedSeq(): number {
    return this.#synced;
  }

  async send(request: KeeperRequest): Promise<KeeperAck> {
    if (!this.#isOpen) throw new KeeperGone();
    const pendingAck = Promise.withResolvers<KeeperAck>();
    this.#pendingAcks.push(pendingAck);
    this.#transport.write(request);
    return pendingAck.promise;
  }

  attend(): void {
    // A simulated keeper is not one of a fleet: its agents continue without a client.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#transport.close();
    this.end();
    await this.closed;
  }

  receive(reply: KeeperReply): void {
    if (!this.#process.isAlive || !this.#isOpen) return;
    if ("ack" in reply) return this.#pendingAcks.shift()?.resolve(reply);
    if ("error" in reply) {
      return this.#pendingAcks.shift()?.reject(new RequestRejected(reply.error, reply.message, reply.retryable));
    }
    if (!("seq" in reply)) return;
    this.#lastSeq = reply.seq;
    this.#synced = reply.synced ?? this.#synced;
    this.#notify();
  }

  /** Closes the connection after either end has closed it. */
  end(): void {
    if (!this.#process.isAlive || !this.#isOpen) return;
    this.#isOpen = false;
    for (const pendingAck of this.#pendingAcks.splice(0)) pendingAck.reject(new KeeperGone());
    this.#notify();
    this.#closed.resolve();
  }

  #notify(): void {
    this.#wakeup.resolve();
    this.#wakeup = Promise.withResolvers();
  }

  async *#wakes(): AsyncGenerator<number> {
    for (let yieldedSeq = 0; ;) {
      const wakeup = this.#wakeup.promise;
      if (this.#lastSeq > yieldedSeq) yield (yieldedSeq = this.#lastSeq);
      else if (this.#isOpen) await wakeup;
      else return;
    }
  }
}
