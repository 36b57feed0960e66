import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { Chance } from "../chance.ts";

interface Passage {
  readonly near: Socket;
  readonly far: Socket;
  /** A stream of events, over which some have come already. */
  isStreaming: boolean;
  /** It is to be cut in the middle of what comes next. */
  isDoomed: boolean;
}

/** Stands between clients and a daemon's socket and cuts connections, some of them in the middle of a frame. */
export class Cutter implements AsyncDisposable {
  readonly socket: string;
  /** How many connections were cut, and how many of those were streams. */
  readonly cut = { any: 0, streams: 0 };
  readonly #server: Server;
  readonly #chance: Chance;
  readonly #passages = new Set<Passage>();

  private constructor(socket: string, server: Server, chance: Chance) {
    this.socket = socket;
    this.#server = server;
    this.#chance = chance;
  }

  static async open(to: string, chance: Chance): Promise<Cutter> {
    const socket = `${to}.cut`;
    const server = createServer();
    const cutter = new Cutter(socket, server, chance);
    server.on("connection", (near) => cutter.#pass(near, connect(to)));
    server.listen(socket);
    await once(server, "listening");
    return cutter;
  }

  /** Cuts one of the connections, or of the streams alone. */
  cutOne(which: "any" | "streams"): void {
    const passages = [...this.#passages].filter(
      ({ isDoomed, isStreaming }) => !isDoomed && (which === "any" || isStreaming),
    );
    const passage = passages[this.#chance.below(passages.length)];
    if (passage === undefined) return;
    this.cut.any += 1;
    if (passage.isStreaming) this.cut.streams += 1;
    if (this.#chance.below(2) === 0) passage.isDoomed = true;
    else this.#end(passage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server.close(), "close");
    for (const passage of this.#passages) this.#end(passage);
    await closed;
  }

  #pass(near: Socket, far: Socket): void {
    const passage: Passage = { near, far, isStreaming: false, isDoomed: false };
    this.#passages.add(passage);
    let [isStream, answers] = [false, 0];
    near.on("data", (bytes) => {
      isStream ||= bytes.includes("Upgrade: websocket");
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      answers += 1;
      passage.isStreaming = isStream && answers > 1; // the first is the greeting
      near.write(passage.isDoomed ? bytes.subarray(0, this.#chance.below(bytes.length)) : bytes);
      if (passage.isDoomed) this.#end(passage);
    });
    for (const side of [near, far]) {
      side.on("error", () => {}); // a close follows
      side.on("close", () => this.#end(passage));
    }
  }

  #end(passage: Passage): void {
    this.#passages.delete(passage);
    // What was written before goes out first, or no frame would ever be cut in its middle.
    passage.near.destroySoon();
    passage.far.destroy();
  }
}
