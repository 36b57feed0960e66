import type { Post } from "./chat.ts";

/** The chat as one who takes part in it has it. */
export class Room {
  readonly #url: string;
  readonly #name: string;

  constructor(url: string, name: string) {
    this.#url = url;
    this.#name = name;
  }

  async say(text: string): Promise<void> {
    await fetch(this.#url, { method: "POST", body: JSON.stringify({ from: this.#name, text }) });
  }

  /** What the others say, from the beginning, until the signal aborts. */
  async *heard(signal: AbortSignal): AsyncGenerator<Post> {
    for (let after = 0; !signal.aborted; after += 1) {
      const response = await fetch(`${this.#url}?after=${after}`, { signal }).catch(() => null);
      const post = (await response?.json()) as Post | undefined;
      if (post !== undefined && post.from !== this.#name) yield post;
    }
  }
}
