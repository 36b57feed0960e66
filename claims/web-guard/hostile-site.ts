import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A web site of a stranger on another port of the same machine. */
export class HostileSite implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;
  /** The requests that it got, with their referrers: what the page may leak. */
  readonly requests: string[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("request", (incoming, outgoing) => {
      this.requests.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)}`);
      outgoing.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      outgoing.end("<!doctype html><title>A friendly site</title><p id=there>Hello");
    });
  }

  static async open(): Promise<HostileSite> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new HostileSite(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
