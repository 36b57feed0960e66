import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** Follows a session from its first event to its last, as a client does, and keeps what it sees. */
export class Follower {
  readonly seen: Event[] = [];
  /** Resolves when the session has ended; rejects when the client gives up. */
  readonly over: Promise<void>;
  #isOver = false;
  #news = Promise.withResolvers<void>();

  constructor(fairlead: Fairlead, session: string) {
    this.over = this.#follow(fairlead, session).finally(() => {
      this.#isOver = true;
      this.#news.resolve();
    });
    this.over.catch(() => {}); // told to whoever waits for it
  }

  /** How many events it has seen when it has seen such a one, beyond the first so many. */
  async saw(wanted: (event: Event) => boolean, beyond = 0): Promise<number> {
    for (let at = beyond; ; at += 1) {
      while (at >= this.seen.length) await this.#more();
      const event = this.seen[at];
      if (event !== undefined && wanted(event)) return at + 1;
    }
  }

  async #more(): Promise<void> {
    if (this.#isOver) {
      await this.over;
      throw new Error("The session ended without it.");
    }
    await this.#news.promise;
  }

  async #follow(fairlead: Fairlead, session: string): Promise<void> {
    for await (const one of fairlead.events(session, { follow: true })) {
      if (!("body" in one)) continue;
      this.seen.push(one);
      this.#news.resolve();
      this.#news = Promise.withResolvers();
    }
  }
}
