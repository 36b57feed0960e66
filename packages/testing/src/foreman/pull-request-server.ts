import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface PullRequest {
  readonly head: { readonly ref: string };
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly html_url: string;
}

/** A service on the loopback that takes pull requests as GitHub does, and remembers every request. */
export class PullRequestServer implements AsyncDisposable {
  readonly pulls: PullRequest[] = [];
  /** `METHOD PATH`, with the token. */
  readonly requests: string[] = [];
  /** The next replies, instead of the usual ones. */
  readonly failures: number[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#reply(request).then(({ status, value }) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(value));
      });
    });
  }

  static async open(): Promise<PullRequestServer> {
    const server = new PullRequestServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #reply(request: IncomingMessage): Promise<{ status: number; value: unknown }> {
    const url = new URL(request.url ?? "/", "http://localhost");
    this.requests.push(`${request.method} ${url.pathname} ${request.headers.authorization ?? ""}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const failure = this.failures.shift();
    if (failure !== undefined) return { status: failure, value: { message: "refused" } };
    if (!/^\/repos\/[\w.-]+\/[\w.-]+\/pulls$/.test(url.pathname))
      return { status: 404, value: { message: "Not Found" } };
    const branch = url.searchParams.get("head")?.split(":").at(-1);
    if (request.method === "GET")
      return { status: 200, value: this.pulls.filter(({ head }) => branch === undefined || head.ref === branch) };
    const { head, base, title, body } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
    if (this.pulls.some((pull) => pull.head.ref === head))
      return { status: 422, value: { message: "A pull request already exists." } };
    const pull = { head: { ref: head ?? "" }, base: base ?? "", title: title ?? "", body: body ?? "" };
    this.pulls.push({ ...pull, html_url: `${this.url}/pull/${this.pulls.length + 1}` });
    return { status: 201, value: this.pulls.at(-1) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
