import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface ChatPost {
  readonly from: string;
  readonly text: string;
}

/** A minimal chat server: `POST /` adds a post, `GET /?after=N` waits for the post with number N + 1. */
export class ChatServer implements AsyncDisposable {
  readonly #posts: ChatPost[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #posted = Promise.withResolvers<void>();

  static async open(): Promise<ChatServer> {
    const chat = new ChatServer();
    await once(chat.#server.listen(0, "127.0.0.1"), "listening");
    return chat;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "POST") {
      this.#posts.push((await json(request)) as ChatPost);
      this.#posted.resolve();
      this.#posted = Promise.withResolvers();
      response.writeHead(204).end();
      return;
    }
    const after = Number(new URL(request.url ?? "/", this.url).searchParams.get("after"));
    while (this.#posts.length <= after) await this.#posted.promise;
    response.setHeader("content-type", "application/json").end(JSON.stringify(this.#posts[after]));
  }
}
