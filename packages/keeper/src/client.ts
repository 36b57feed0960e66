import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { FrameRefused } from "./frame-refused.ts";
import { type Ack, type Frame, type Hello, protocolName, type Reply } from "./frame.ts";
import { KeeperGone } from "./keeper-gone.ts";
import { readLines } from "./read-lines.ts";
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
  const lines = readLines(socket);
  const first = await lines.next();
  if (first.done === true) throw new KeeperGone();
  const hello = JSON.parse(first.value) as Hello;
  if (hello.hello !== protocolName) {
    socket.destroy();
    throw new Error(`The keeper speaks ${hello.hello}, not ${protocolName}.`);
  }
  return new Connection(socket, hello, lines);
}

class Connection implements KeeperConnection {
  readonly hello: Hello;
  readonly features: ReadonlySet<string>;
  readonly closed: Promise<void>;
  readonly wakes: AsyncIterable<number>;
  readonly #socket: Socket;
  /** Answers come in the order of the frames. */
  readonly #waiting: PromiseWithResolvers<Ack>[] = [];
  #latest: number;
  #news = Promise.withResolvers<void>();
  #open = true;

  constructor(socket: Socket, hello: Hello, lines: AsyncIterable<string>) {
    this.#socket = socket;
    this.hello = hello;
    this.features = new Set(hello.features);
    this.#latest = hello.lastSeq;
    this.closed = this.#listen(lines);
    this.wakes = { [Symbol.asyncIterator]: () => this.#wakes() };
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

  async #listen(lines: AsyncIterable<string>): Promise<void> {
    try {
      for await (const line of lines) this.#hear(JSON.parse(line) as Reply);
    } catch {
      // Cut off, or no longer intelligible: both end the connection.
    }
    this.#socket.destroy();
    this.#open = false;
    for (const answer of this.#waiting.splice(0)) answer.reject(new KeeperGone());
    this.#news.resolve();
  }

  #hear(reply: Reply): void {
    if ("ack" in reply) return this.#waiting.shift()?.resolve(reply);
    if ("error" in reply) {
      return this.#waiting.shift()?.reject(new FrameRefused(reply.error, reply.message, reply.passing));
    }
    if (!("seq" in reply)) return; // something that a later keeper says
    this.#latest = reply.seq;
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
