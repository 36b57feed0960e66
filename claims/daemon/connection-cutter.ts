import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { SeededRandom } from "../../measure/seeded-random.ts";

interface ProxiedConnection {
  readonly clientSocket: Socket;
  readonly serviceSocket: Socket;
  /** A stream that has already carried events. */
  isStreaming: boolean;
  /** The next data is to be cut in its middle. */
  cutsOnNextData: boolean;
}

/** A proxy between clients and a service that cuts connections, some in the middle of a frame. */
export class ConnectionCutter implements AsyncDisposable {
  /** The number of cut connections, and of cut streams among them. */
  readonly cutCounts = { any: 0, streams: 0 };
  readonly #server: Server;
  readonly #chance: SeededRandom;
  readonly #connections = new Set<ProxiedConnection>();

  private constructor(connectToService: () => Socket, random: SeededRandom) {
    this.#server = createServer((clientSocket) => this.#proxy(clientSocket, connectToService()));
    this.#chance = random;
  }

  /** Listens at a socket beside the one of a daemon. */
  static async open(target: string, random: SeededRandom): Promise<ConnectionCutter> {
    const cutter = new ConnectionCutter(() => connect(target), random);
    await once(cutter.#server.listen(`${target}.cut`), "listening");
    return cutter;
  }

  /** Listens on a free port of loopback for a service on another one. */
  static async openPort(target: number, random: SeededRandom): Promise<ConnectionCutter> {
    const cutter = new ConnectionCutter(() => connect(target, "127.0.0.1"), random);
    await once(cutter.#server.listen(0, "127.0.0.1"), "listening");
    return cutter;
  }

  /** The path at which a cutter of a daemon listens. */
  get socket(): string {
    return this.#server.address() as string;
  }

  /** The port at which a cutter of a port listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts a connection, or only a stream. */
  cutOne(which: "any" | "streams"): void {
    const candidates = [...this.#connections].filter(
      ({ cutsOnNextData, isStreaming }) => !cutsOnNextData && (which === "any" || isStreaming),
    );
    const connection = candidates[this.#chance.nextBelow(candidates.length)];
    if (connection === undefined) return;
    this.cutCounts.any += 1;
    if (connection.isStreaming) this.cutCounts.streams += 1;
    if (this.#chance.nextBelow(2) === 0) connection.cutsOnNextData = true;
    else this.#end(connection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server.close(), "close");
    for (const passage of this.#connections) this.#end(passage);
    await closed;
  }

  #proxy(clientSocket: Socket, serviceSocket: Socket): void {
    const connection: ProxiedConnection = { clientSocket, serviceSocket, isStreaming: false, cutsOnNextData: false };
    this.#connections.add(connection);
    let [isStream, answers] = [false, 0];
    clientSocket.on("data", (bytes) => {
      isStream ||= bytes.includes("Upgrade: websocket");
      serviceSocket.write(bytes);
    });
    serviceSocket.on("data", (bytes) => {
      answers += 1;
      connection.isStreaming = isStream && answers > 1; // the first is the handshake
      clientSocket.write(connection.cutsOnNextData ? bytes.subarray(0, this.#chance.nextBelow(bytes.length)) : bytes);
      if (connection.cutsOnNextData) this.#end(connection);
    });
    for (const side of [clientSocket, serviceSocket]) {
      side.on("error", () => {}); // a close follows
      side.on("close", () => this.#end(connection));
    }
  }

  #end(connection: ProxiedConnection): void {
    this.#connections.delete(connection);
    // Earlier data is flushed first; otherwise no frame would be cut in its middle.
    connection.clientSocket.destroySoon();
    connection.serviceSocket.destroy();
  }
}
