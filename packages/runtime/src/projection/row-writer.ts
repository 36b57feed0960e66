import type { SessionIndex, SessionRow } from "@fairlead/journal";

/** Milliseconds until a changed row is written: soon if its state changed, later if only its counters did. */
const delays = { urgent: 50, normal: 1000 };

interface RowSource {
  /** Returns the current row; undefined while there is none. */
  toRow(): SessionRow | undefined;
}

/**
 * Writes changed rows into the index, each at most once per time slice, however many events it has. A reader in this process
 * calls `flush` first. If the index cannot be written, the rows are written later; the journal has everything.
 */
export class RowWriter implements AsyncDisposable {
  readonly #index: SessionIndex;
  readonly #dirty = new Set<RowSource>();
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(index: SessionIndex) {
    this.#index = index;
  }

  schedule(source: RowSource, isUrgent: boolean): void {
    this.#dirty.add(source);
    const delay = isUrgent ? delays.urgent : delays.normal;
    const dueAt = performance.now() + delay;
    if (dueAt >= this.#dueAt || this.#isClosed) return;
    this.#stopTimer();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => void this.flush(), delay).unref();
  }

  /** Resolves when all rows that have changed before the call are written, or could not be written. */
  flush(): Promise<void> {
    this.#stopTimer();
    if (this.#dirty.size > 0) this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  /** Never rejects: a rejection would end the process, and fail every later flush. */
  async #write(): Promise<void> {
    const sources = [...this.#dirty];
    this.#dirty.clear();
    await Promise.all(sources.map((source) => this.#writeRow(source)));
  }

  /** Writes one row. A failure must not affect the rows of other sessions. */
  async #writeRow(source: RowSource): Promise<void> {
    let row: SessionRow | undefined;
    try {
      row = source.toRow();
    } catch {
      return; // the same content fails again, for example if it is longer than a string may be; its next change is tried
    }
    try {
      if (row !== undefined) await this.#index.put(row);
    } catch {
      this.schedule(source, false);
    }
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Infinity;
  }
}
