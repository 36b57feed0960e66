import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

/** How a network fails: connections are reset, or everything that is sent is swallowed without a word. */
export type Outage = "drop" | "blackhole";

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** The network between a page and a service, which can be cut. Connections from before a blackhole stay dead after it. */
export class OutageProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #outage: Outage | null = null;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** `port`: where it listens. Default: any free one. */
  static async start(targetPort: number, port = 0): Promise<OutageProxy> {
    const server = createServer();
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const proxy = new OutageProxy(server, (server.address() as { port: number }).port);
    server.on("connection", (near) => proxy.#accept(near, targetPort));
    return proxy;
  }

  cut(outage: Outage): void {
    this.#outage = outage;
    for (const pair of this.#pairs) endPair(pair, outage);
    this.#pairs.clear();
  }

  restore(): void {
    this.#outage = null;
  }

  #accept(near: Socket, targetPort: number): void {
    near.on("error", () => {}); // the page closes as it likes
    if (this.#outage === "drop") return void near.destroy();
    if (this.#outage === "blackhole") return void near.resume();
    const far = connect(targetPort, "127.0.0.1");
    const pair: Pair = { near, far };
    this.#pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    near.on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => this.#pairs.delete(pair) && near.destroy());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut("drop");
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function endPair({ near, far }: Pair, outage: Outage): void {
  if (outage === "drop") near.destroy();
  near.unpipe();
  far.unpipe();
  near.resume();
  // The service may notice; the page must not be told.
  far.destroy();
}
