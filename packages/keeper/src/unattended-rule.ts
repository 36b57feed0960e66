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
  /** Whether a client has set deadlines. */
  #isAttended = false;
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

  /** Whether the end that a client has set is past, so that nothing may be started until the client sets a later one. */
  get isOver(): boolean {
    return this.#isAttended && this.#deadlines !== null && this.#options.clock.monotonic() >= this.#deadlines.endAt;
  }

  /** Follows other deadlines, unless it has newer ones. Of those that only shorten, it follows the times that are earlier. */
  attend(deadlines: KeeperDeadlines): void {
    // This process may have been stopped past the end. Deadlines that waited in a socket must not rescue the agents.
    this.check();
    if (this.#options.limits === undefined) return;
    const known = this.#deadlines;
    if (known !== null && deadlines.confirmedAt < known.confirmedAt) return;
    if (deadlines.onlyShortens !== true) this.#deadlines = deadlines;
    else if (known === null) return; // there is nothing to shorten
    else this.#deadlines = shorten(known, deadlines);
    this.#isAttended = true;
    this.check();
  }

  /**
   * Notes that a process was launched. The first of those that run starts its own time if no client has set deadlines. Otherwise
   * a launch extends nothing: the host that launches may be lost soon, and another one then starts an agent for the session.
   */
  processLaunched(): void {
    const { limits, processes } = this.#options;
    if (limits !== undefined && processes.size === 1 && !this.#isAttended) this.#startTime(limits);
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
    // Without a process there is nothing to end.
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

  #startTime({ freezeMs, endMs }: UnattendedLimits): void {
    const now = this.#options.clock.monotonic();
    const after = (milliseconds: number): bigint => now + BigInt(milliseconds) * 1_000_000n;
    this.#deadlines = { confirmedAt: 0n, freezeAt: after(freezeMs), endAt: after(endMs) };
  }
}

function shorten(known: KeeperDeadlines, { confirmedAt, freezeAt, endAt }: KeeperDeadlines): KeeperDeadlines {
  return { confirmedAt, freezeAt: earlier(known.freezeAt, freezeAt), endAt: earlier(known.endAt, endAt) };
}

const earlier = (one: bigint, other: bigint): bigint => (one < other ? one : other);
