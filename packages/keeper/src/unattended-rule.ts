import type { KeeperClock } from "./keeper-clock.ts";
import type { KeeperDeadlines, UnattendedLimits } from "./keeper-deadlines.ts";
import type { RunningProcesses } from "./process/running-processes.ts";

export interface UnattendedRuleOptions {
  /** Without them, nothing is stopped or ended. */
  readonly limits: UnattendedLimits | undefined;
  readonly processes: Pick<RunningProcesses, "size" | "freeze" | "thaw">;
  readonly clock: KeeperClock;
  /** Called once, when the processes must end. */
  readonly onEnd: () => void;
}

/**
 * Stops the agents of a keeper at a deadline, and ends them at a later one, unless the process that drives them sets later
 * deadlines. Deadlines are absolute, so that a message which arrives late extends nothing.
 */
export class UnattendedRule implements Disposable {
  readonly #options: UnattendedRuleOptions;
  #deadlines: KeeperDeadlines | null = null;
  #isFrozen = false;
  #hasEnded = false;
  #timer: Disposable | undefined;

  constructor(options: UnattendedRuleOptions) {
    this.#options = options;
  }

  /** Whether all processes are stopped now. */
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Follows other deadlines, unless it has newer ones. */
  attend(deadlines: KeeperDeadlines): void {
    // This process may have been stopped past the end. Deadlines that waited in a socket must not rescue the agents.
    this.check();
    if (this.#options.limits === undefined) return;
    if (this.#deadlines !== null && deadlines.confirmedAt < this.#deadlines.confirmedAt) return;
    this.#deadlines = deadlines;
    this.check();
  }

  /** Notes that a process was launched. The first of those that run starts its own time, and others do not extend it. */
  processLaunched(): void {
    const { limits, processes } = this.#options;
    if (limits !== undefined && processes.size === 1) this.#extendForLaunch(limits);
    this.check();
    if (this.#isFrozen) processes.freeze();
  }

  /**
   * Does what is due. To be called before anything else happens to an agent, because timers run late in a process that was
   * stopped.
   */
  check(): void {
    const deadlines = this.#deadlines;
    const { processes, clock, onEnd } = this.#options;
    if (deadlines === null || this.#hasEnded) return;
    const now = clock.monotonic();
    this.#timer?.[Symbol.dispose]();
    // Without a process there is nothing to end. The next launch starts its own time.
    if (processes.size === 0) return;
    if (now >= deadlines.endAt) {
      this.#hasEnded = true;
      return onEnd();
    }
    this.#setFrozen(now >= deadlines.freezeAt);
    const next = this.#isFrozen ? deadlines.endAt : earlier(deadlines.freezeAt, deadlines.endAt);
    const waitMs = Math.max(1, Math.ceil(Number(next - now) / 1e6));
    this.#timer = clock.after(waitMs, () => this.check(), { background: true });
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#timer?.[Symbol.dispose]();
  }

  #setFrozen(isFrozen: boolean): void {
    if (isFrozen === this.#isFrozen) return;
    this.#isFrozen = isFrozen;
    if (isFrozen) this.#options.processes.freeze();
    else this.#options.processes.thaw();
  }

  #extendForLaunch(limits: UnattendedLimits): void {
    const now = this.#options.clock.monotonic();
    const known = this.#deadlines ?? { confirmedAt: 0n, freezeAt: 0n, endAt: 0n };
    this.#deadlines = {
      confirmedAt: known.confirmedAt,
      freezeAt: later(known.freezeAt, now + BigInt(limits.freezeMs) * 1_000_000n),
      endAt: later(known.endAt, now + BigInt(limits.endMs) * 1_000_000n),
    };
  }
}

const earlier = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);
