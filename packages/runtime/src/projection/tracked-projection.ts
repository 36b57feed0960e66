import type { Event } from "@fairlead/contract";
import type { SessionRow } from "@fairlead/journal";
import type { SessionProjection } from "./session-projection.ts";

export interface TrackedProjectionOptions {
  /** The epoch of this process's claim. */
  readonly epoch: number;
  readonly owner: string;
  /** Loads the projection from the index, or an empty one. */
  readonly load: () => Promise<SessionProjection>;
  /** Reads the events of the session after a sequence. */
  readonly readEvents: (after: number) => AsyncIterable<Event>;
  /** Called after every change. `isUrgent` if other processes should see it soon. */
  readonly onChange: (isUrgent: boolean) => void;
}

/**
 * The projection of a session that this process drives. It receives every event that the process appends. What was appended
 * before is read in the background, so that driving a session need not wait for its history.
 */
export class TrackedProjection {
  readonly #options: TrackedProjectionOptions;
  /** Resolves when the projection has all events. Never rejects: without a projection the row stays as it is. */
  readonly caughtUp: Promise<void>;
  #projection: SessionProjection | undefined;
  /** The newest event that this process has appended. */
  #journaledUpTo = 0;
  #isSettled = false;
  #isDiscarded = false;

  constructor(options: TrackedProjectionOptions) {
    this.#options = options;
    this.caughtUp = this.#catchUp().catch(() => {});
  }

  /** Undefined while it reads the history, and if that failed. */
  get projection(): SessionProjection | undefined {
    return this.#projection;
  }

  /** Whether the session was forgotten. */
  get isDiscarded(): boolean {
    return this.#isDiscarded;
  }

  add(event: Event): void {
    this.#journaledUpTo = event.sequence;
    const projection = this.#projection;
    if (projection === undefined || event.sequence <= projection.lastSequence) return;
    const before = projection.summary?.state;
    projection.add(event);
    this.#options.onChange(projection.summary?.state !== before);
  }

  /** Records that no process needs to drive the session any more, although it has not ended. */
  settle(): void {
    this.#isSettled = true;
    this.#options.onChange(true);
  }

  /** Returns no row from now on, because the session was forgotten. */
  discard(): void {
    this.#isDiscarded = true;
  }

  toRow(): SessionRow | undefined {
    if (this.#isDiscarded) return undefined;
    const { epoch, owner } = this.#options;
    const isOver = this.#projection?.summary?.state === "ended";
    return this.#projection?.toRow({ epoch, owner, unfinished: !isOver && !this.#isSettled });
  }

  async #catchUp(): Promise<void> {
    const projection = await this.#options.load();
    do {
      for await (const event of this.#options.readEvents(projection.lastSequence)) projection.add(event);
      // Events that were appended after the last page was read are not in it.
    } while (projection.lastSequence < this.#journaledUpTo);
    this.#projection = projection;
    this.#options.onChange(true);
  }
}
