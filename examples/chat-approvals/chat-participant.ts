import type { ChatPost } from "./chat-server.ts";

/** A client of the chat server with the name of one participant. */
export class ChatParticipant {
  readonly #url: string;
  readonly #name: string;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  async post(text: string): Promise<void> {
    await fetch(this.#url, { method: "POST", body: JSON.stringify({ from: this.#name, text }) });
  }

  /** Yields the posts of the other participants from the beginning, until the signal aborts. */
  async *readPosts(signal: AbortSignal): AsyncGenerator<ChatPost> {
    for (let after = 0; !signal.aborted; after += 1) {
      const response = await fetch(`${this.#url}?after=${after}`, { signal }).catch(() => null);
      const post = (await response?.json()) as ChatPost | undefined;
      if (post !== undefined && post.from !== this.#name) yield post;
    }
  }
}
