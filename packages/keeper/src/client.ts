import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { CutLines } from "./cut-lines.ts";
import { FrameRefused } from "./frame-refused.ts";
import { type Ack, type Frame, type Hello, protocolName, type Reply } from "./frame.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { socketPath } from "./session-folder.ts";

/** A line to a living keeper. Closing it leaves the keeper and its processes as they are. */
export interface KeeperConnection extends AsyncDisposable {
  readonly hello: Hello;
  /** What the keeper can do beyond the first version of the protocol. */
  readonly features: ReadonlySet<string>;
  /** Settles when the frame is recorded. Rejects with `FrameRefused` if it will not be, `KeeperGone` if nobody knows. */
  send(frame: Frame): Promise<{ readonly seq: number; readonly duplicate: boolean }>;
  /** How far the spool has grown: the latest only, however many were missed. Ends with the connection. */
  readonly wakes: AsyncIterable<number>;
  /** The last record that the keeper has told to hold against a loss of power; 0 until it has told of one. */
  readonly synced: number;
  /** Settles, and never rejects, when the connection has ended. */
  readonly closed: Promise<void>;
}

/** Connects to the keeper of a session folder. Aborting the signal ends the connection at any time. */
export async function connectKeeper(
  folder: string,
  options: { readonly signal?: AbortSignal } = {},
): Promise<KeeperConnection> {
  options.signal?.throwIfAborted();
  const socket = connect({ path: socketPath(folder), ...options });
  await once(socket, "connect");
  socket.on("error", () => {}); // whatever it was, the connection closes
  const connection = new Connection(socket);
  const { hello } = await connection.greeting;
  if (hello !== protocolName) {
    socket.destroy();
    throw new Error(`The keeper speaks ${hello}, not ${protocolName}.`);
  }
  return connection;
}

class Connection implements KeeperConnection {
  /** What it says first; rejects with `KeeperGone` when it says nothing. */
  readonly greeting: Promise<Hello>;
  readonly closed: Promise<void>;
  readonly wakes: AsyncIterable<number>;
  readonly #socket: Socket;
  readonly #greeting = Promise.withResolvers<Hello>();
  #hello: Hello | undefined;
  #features: ReadonlySet<string> = new Set();
  /** Answers come in the order of the frames. */
  readonly #waiting: PromiseWithResolvers<Ack>[] = [];
  #latest = 0;
  #synced = 0;
  #news = Promise.withResolvers<void>();
  #open = true;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.greeting = this.#greeting.promise;
    this.closed = new Promise((closed) => {
      socket.once("close", () => {
        this.#end();
        closed();
      });
    });
    this.#listen();
    this.wakes = { [Symbol.asyncIterator]: () => this.#wakes() };
  }

  get hello(): Hello {
    if (this.#hello === undefined) throw new Error("It has said nothing yet.");
    return this.#hello;
  }

  get features(): ReadonlySet<string> {
    return this.#features;
  }

  get synced(): number {
    return this.#synced;
  }

  async send(frame: Frame): Promise<Ack> {
    if (!this.#open) throw new KeeperGone();
    const answer = Promise.withResolvers<Ack>();
    this.#waiting.push(answer);
    this.#socket.write(`${JSON.stringify(frame)}\n`);
    return answer.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.closed;
  }

  /** By events: a runtime hears from each of its keepers whenever an agent says something. */
  #listen(): void {
    const lines = new CutLines();
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        for (const line of lines.of(chunk)) this.#hear(JSON.parse(line) as Reply);
      } catch {
        this.#socket.destroy(); // no longer intelligible
      }
    });
  }

  #end(): void {
    this.#open = false;
    this.#greeting.reject(new KeeperGone());
    for (const answer of this.#waiting.splice(0)) answer.reject(new KeeperGone());
    this.#news.resolve();
  }

  #hear(reply: Reply): void {
    if ("hello" in reply) return this.#greet(reply);
    if ("ack" in reply) return this.#waiting.shift()?.resolve(reply);
    if ("error" in reply) {
      return this.#waiting.shift()?.reject(new FrameRefused(reply.error, reply.message, reply.passing));
    }
    if (!("seq" in reply)) return; // something that a later keeper says
    this.#latest = reply.seq;
    this.#synced = reply.synced ?? this.#synced;
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  #greet(hello: Hello): void {
    this.#hello = hello;
    this.#features = new Set(hello.features);
    this.#latest = hello.lastSeq;
    this.#greeting.resolve(hello);
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
