import type { Clock } from "../actor/clock.ts";
import { isTransientFailure } from "./is-transient-failure.ts";

/** Milliseconds before the first attempt after a failure. Each further failure doubles the delay. */
const firstRetryDelay = 500;
const maxRetryDelay = 60_000;

/** A session that this process cannot drive at the moment. */
export interface SessionFailure {
  readonly session: string;
  readonly error: unknown;
  /** Time of the first failure, in milliseconds since 1970. */
  readonly since: number;
  /** Milliseconds until the next attempt; null if another attempt cannot succeed, because the session is damaged. */
  readonly retryIn: number | null;
}

interface TrackedFailure extends SessionFailure {
  readonly attempts: number;
  readonly timer: Disposable | undefined;
}

/** The sessions that could not be driven, and the timers of the next attempts. */
export class SessionFailures implements Disposable {
  readonly #clock: Clock;
  readonly #retry: (session: string) => void;
  readonly #failures = new Map<string, TrackedFailure>();

  constructor(clock: Clock, retry: (session: string) => void) {
    this.#clock = clock;
    this.#retry = retry;
  }

  get(session: string): SessionFailure | undefined {
    return this.#failures.get(session);
  }

  /** Records a failure, and schedules the next attempt if one may succeed. */
  add(session: string, error: unknown): SessionFailure {
    const before = this.#failures.get(session);
    before?.timer?.[Symbol.dispose]();
    const attempts = (before?.attempts ?? 0) + 1;
    const retryIn = isTransientFailure(error) ? Math.min(maxRetryDelay, firstRetryDelay * 2 ** (attempts - 1)) : null;
    const timer = retryIn === null ? undefined : this.#clock.after(retryIn, () => this.#retry(session));
    const failure = { session, error, since: before?.since ?? this.#clock.now(), retryIn, attempts, timer };
    this.#failures.set(session, failure);
    return failure;
  }

  /** Removes the failure of a session that is driven again or has ended. Returns whether there was one. */
  clear(session: string): boolean {
    this.#failures.get(session)?.timer?.[Symbol.dispose]();
    return this.#failures.delete(session);
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#failures.values()) timer?.[Symbol.dispose]();
  }
}
