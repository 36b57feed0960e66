import type { FrameTable } from "./frame-table.ts";

/** One watcher's bell. It remembers a ring that nobody has waited for yet, so that none is missed while reading. */
class Bell implements Disposable {
  readonly session: string;
  readonly #forget: (bell: Bell) => void;
  #rung = Promise.withResolvers<void>();

  constructor(session: string, forget: (bell: Bell) => void) {
    this.session = session;
    this.#forget = forget;
  }

  ring(): void {
    this.#rung.resolve();
  }

  async heard(): Promise<void> {
    await this.#rung.promise;
    this.#rung = Promise.withResolvers();
  }

  [Symbol.dispose](): void {
    this.#forget(this);
  }
}

/** Tells watchers that their session has grown, whoever has written. It looks out only while somebody listens. */
export class Doorbell implements Disposable {
  readonly #table: FrameTable;
  readonly #lookOut: (look: () => void) => Disposable;
  readonly #bells = new Set<Bell>();
  #watch: Disposable | undefined;
  #seen = 0;

  constructor(table: FrameTable, lookOut: (look: () => void) => Disposable) {
    this.#table = table;
    this.#lookOut = lookOut;
  }

  listen(session: string): Bell {
    if (this.#watch === undefined) {
      this.#seen = this.#table.newest();
      this.#watch = this.#lookOut(() => this.look());
    }
    const bell = new Bell(session, (gone) => this.#forget(gone));
    this.#bells.add(bell);
    return bell;
  }

  /** Rings for the sessions that have grown since the last look. */
  look(): void {
    if (this.#bells.size === 0) return;
    try {
      const grown = new Set<string>();
      for (const { session, id } of this.#table.grownSince(this.#seen)) {
        grown.add(session);
        this.#seen = Math.max(this.#seen, id);
      }
      if (grown.size > 0) this.#ring((bell) => grown.has(bell.session));
    } catch {
      // Nobody waits for this look, so nobody would hear of the error: each watcher meets it when it reads.
      this.#ring(() => true);
    }
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
    this.#ring(() => true);
  }

  #ring(wanted: (bell: Bell) => boolean): void {
    for (const bell of this.#bells) if (wanted(bell)) bell.ring();
  }

  #forget(bell: Bell): void {
    this.#bells.delete(bell);
    if (this.#bells.size > 0) return;
    this.#watch?.[Symbol.dispose]();
    this.#watch = undefined;
  }
}
