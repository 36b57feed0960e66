import { type KeeperClock, systemClock } from "../keeper-clock.ts";

/** How long after a write the first check runs. */
const defaultMinIntervalMs = 500;
const maxIntervalMs = 5 * 60 * 1000;

export interface StdinWatcherOptions {
  /** Whether no process has the stdin open. False when in doubt. */
  readonly isClosed: () => boolean;
  /** Called once, after two consecutive checks that returned true. */
  readonly onClosed: () => void;
  /** The shortest time between two checks, in milliseconds. */
  readonly minIntervalMs?: number;
  readonly clock?: KeeperClock;
}

/**
 * Detects that a living process has closed its stdin. The first check runs some time after a write. The interval then
 * doubles up to some minutes, after which checks stop until the next write. An idle session therefore costs nothing,
 * and a busy one at most two checks per second.
 */
export class StdinWatcher implements Disposable {
  readonly #options: StdinWatcherOptions;
  readonly #minIntervalMs: number;
  readonly #clock: KeeperClock;
  #intervalMs: number;
  #timer: Disposable | undefined;
  #wasClosed = false;
  #isDisposed = false;

  constructor(options: StdinWatcherOptions) {
    this.#options = options;
    this.#minIntervalMs = options.minIntervalMs ?? defaultMinIntervalMs;
    this.#clock = options.clock ?? systemClock;
    this.#intervalMs = this.#minIntervalMs;
  }

  /** Schedules a check. To be called after each write to the stdin. */
  notifyWrite(): void {
    // A check that is due soon keeps its time. Otherwise a process that is written to all the time is never checked.
    const isDueSoon = this.#timer !== undefined && this.#intervalMs === this.#minIntervalMs;
    if (!isDueSoon) this.#scheduleCheck(this.#minIntervalMs);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  #scheduleCheck(intervalMs: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#intervalMs = intervalMs;
    if (this.#isDisposed || intervalMs > maxIntervalMs) return;
    this.#timer = this.#clock.after(intervalMs, () => this.#check(), { background: true });
  }

  /**
   * Needs two positive checks. One check may miss a stdin that is being passed to another process, and a process that
   * closes its stdin because it exits is gone at the second check.
   */
  #check(): void {
    const isClosed = this.#options.isClosed();
    if (isClosed && this.#wasClosed) {
      this[Symbol.dispose]();
      return this.#options.onClosed();
    }
    this.#wasClosed = isClosed;
    this.#scheduleCheck(isClosed ? this.#minIntervalMs : this.#intervalMs * 2);
  }
}
