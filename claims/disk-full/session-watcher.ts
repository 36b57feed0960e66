import type { Event } from "@fairlead/contract";
import type { Session } from "@fairlead/runtime";

/** Follows a session until its turn is over and stores what was shown. */
export class SessionWatcher {
  readonly shownEvents: Event[] = [];
  /** Resolves when the stream ends: with the error, or with null after the end of the turn. */
  readonly finished: Promise<Error | null>;
  #isOver = false;

  constructor(session: Session) {
    this.finished = this.#watch(session).then(
      () => null,
      (error: Error) => error,
    );
    void this.finished.then(() => (this.#isOver = true));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #watch(session: Session): Promise<void> {
    for await (const one of session.stream()) {
      if (!("body" in one)) continue;
      this.shownEvents.push(one);
      if (one.body.type === "turn.ended") return;
    }
    throw new Error("The stream has ended before the turn.");
  }
}
