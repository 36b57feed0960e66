import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";

/** Follows a session from its first event to its last, as a client does, and stores the events. */
export class SessionFollower {
  readonly events: Event[] = [];
  /** Resolves when the session has ended; rejects when the client gives up. */
  readonly finished: Promise<void>;
  #isOver = false;
  #changed = Promise.withResolvers<void>();

  constructor(fairlead: Fairlead, session: string) {
    this.finished = this.#follow(fairlead, session).finally(() => {
      this.#isOver = true;
      this.#changed.resolve();
    });
    this.finished.catch(() => {}); // reported to the caller that awaits it
  }

  /** Resolves with the number of events when a matching one has arrived after a position. */
  async waitForEvent(matches: (event: Event) => boolean, after = 0): Promise<number> {
    for (let index = after; ; index += 1) {
      while (index >= this.events.length) await this.#waitForMore();
      const event = this.events[index];
      if (event !== undefined && matches(event)) return index + 1;
    }
  }

  async #waitForMore(): Promise<void> {
    if (this.#isOver) {
      await this.finished;
      throw new Error("The session ended without it.");
    }
    await this.#changed.promise;
  }

  async #follow(fairlead: Fairlead, session: string): Promise<void> {
    for await (const one of fairlead.events(session, { follow: true })) {
      if (!("body" in one)) continue;
      this.events.push(one);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    }
  }
}
