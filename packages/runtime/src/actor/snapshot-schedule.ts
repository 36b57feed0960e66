import type { SnapshotInterval } from "./session-actor-options.ts";

const defaultInterval: SnapshotInterval = { records: 20_000, bytes: 16 * 1024 * 1024 };

/** Counts what an actor has processed since its last snapshot. */
export class SnapshotSchedule {
  readonly #interval: SnapshotInterval;
  #records = 0;
  #bytes = 0;

  constructor(interval: SnapshotInterval = defaultInterval) {
    this.#interval = interval;
  }

  get isDue(): boolean {
    return this.#records >= this.#interval.records || this.#bytes >= this.#interval.bytes;
  }

  addRecord(bytes: number): void {
    this.#records += 1;
    this.#bytes += bytes;
  }

  restart(): void {
    this.#records = 0;
    this.#bytes = 0;
  }
}
