import type { Event } from "@fairlead/contract";
import type { Session } from "@fairlead/runtime";

/** Somebody who watches a session until its turn is over, and remembers what was shown. */
export class Audience {
  readonly shown: Event[] = [];
  /** Resolves when nothing more will be shown: with what went wrong, or with null when the turn was seen to end. */
  readonly left: Promise<Error | null>;
  #isOver = false;

  constructor(session: Session) {
    this.left = this.#watch(session).then(
      () => null,
      (error: Error) => error,
    );
    void this.left.then(() => (this.#isOver = true));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  async #watch(session: Session): Promise<void> {
    for await (const one of session.stream()) {
      if (!("body" in one)) continue;
      this.shown.push(one);
      if (one.body.type === "turn.ended") return;
    }
    throw new Error("The stream has ended before the turn.");
  }
}
