import {
  FrameRefused,
  KeeperGone,
  type Ack,
  type Frame,
  type Hello,
  type KeeperConnection,
  type Reply,
} from "@fairlead/keeper";
import type { Life } from "./life-for-test.ts";

/** What leads to the keeper. */
interface Line {
  write(frame: Frame): void;
  hangUp(): void;
}

/** The client's end of a connection, as the real one behaves; but nothing settles in a process that is dead. */
export class SimulatedConnection implements KeeperConnection {
  readonly hello: Hello;
  readonly features: ReadonlySet<string>;
  readonly closed: Promise<void>;
  readonly wakes: AsyncIterable<number>;
  readonly #life: Life;
  readonly #line: Line;
  readonly #closed = Promise.withResolvers<void>();
  readonly #waiting: PromiseWithResolvers<Ack>[] = [];
  #latest: number;
  #synced = 0;
  #news = Promise.withResolvers<void>();
  #open = true;

  constructor(hello: Hello, life: Life, line: Line) {
    this.hello = hello;
    this.features = new Set(hello.features);
    this.#latest = hello.lastSeq;
    this.#life = life;
    this.#line = line;
    this.closed = this.#closed.promise;
    this.wakes = { [Symbol.asyncIterator]: () => this.#wakes() };
  }

  get synced(): number {
    return this.#synced;
  }

  async send(frame: Frame): Promise<Ack> {
    if (!this.#open) throw new KeeperGone();
    const answer = Promise.withResolvers<Ack>();
    this.#waiting.push(answer);
    this.#line.write(frame);
    return answer.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#line.hangUp();
    this.end();
    await this.closed;
  }

  hear(reply: Reply): void {
    if (!this.#life.alive || !this.#open) return;
    if ("ack" in reply) return this.#waiting.shift()?.resolve(reply);
    if ("error" in reply) {
      return this.#waiting.shift()?.reject(new FrameRefused(reply.error, reply.message, reply.passing));
    }
    if (!("seq" in reply)) return;
    this.#latest = reply.seq;
    this.#synced = reply.synced ?? this.#synced;
    this.#tell();
  }

  /** The other end is gone, or this one is. */
  end(): void {
    if (!this.#life.alive || !this.#open) return;
    this.#open = false;
    for (const answer of this.#waiting.splice(0)) answer.reject(new KeeperGone());
    this.#tell();
    this.#closed.resolve();
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async *#wakes(): AsyncGenerator<number> {
    for (let seen = 0; ;) {
      const news = this.#news.promise;
      if (this.#latest > seen) yield (seen = this.#latest);
      else if (this.#open) await news;
      else return;
    }
  }
}
