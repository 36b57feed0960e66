import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What the page's own server adds against other sites. */
const protections = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "x-frame-options",
];

/**
 * Stands for a service without a guard: removes what tells the service who asks, adds a token, and removes the headers that
 * protect the page. For controls only.
 */
export class UnguardedProxy implements AsyncDisposable {
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  static async open(port: number, token: string): Promise<UnguardedProxy> {
    const forward = (headers: IncomingHttpHeaders): IncomingHttpHeaders => {
      const kept = Object.entries(headers).filter(([name]) => !/^(origin|sec-fetch-.*|content-type)$/.test(name));
      const type = headers["content-length"] === undefined ? {} : { "content-type": "application/json" };
      return { ...Object.fromEntries(kept), ...type, host: `127.0.0.1:${port}`, authorization: `Bearer ${token}` };
    };
    const server = createServer((incoming, outgoing) => {
      const options = { host: "127.0.0.1", port, method: incoming.method, path: incoming.url };
      const forwarded = request({ ...options, headers: forward(incoming.headers) }, (response) => {
        const headers = { ...response.headers, "access-control-allow-origin": "*" };
        for (const name of protections) delete (headers as IncomingHttpHeaders)[name];
        outgoing.writeHead(response.statusCode ?? 502, headers);
        response.pipe(outgoing);
      });
      forwarded.on("error", () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
    server.on("upgrade", (incoming, socket) => {
      const options = { host: "127.0.0.1", port, path: incoming.url, headers: forward(incoming.headers) };
      const forwarded = request(options).on("error", () => socket.destroy());
      forwarded.on("response", () => socket.destroy());
      forwarded.on("upgrade", (response, service) => {
        const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${String(value)}`);
        socket.write(["HTTP/1.1 101 Switching Protocols", ...headers, "", ""].join("\r\n"));
        service.pipe(socket).pipe(service);
        socket.on("error", () => service.destroy());
        service.on("error", () => socket.destroy());
      });
      forwarded.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new UnguardedProxy(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
