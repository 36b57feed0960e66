import { startTimer, type TimerOptions } from "@fairlead/contract/start-timer";

/** The time as a keeper sees it. Tests and simulations pass their own. */
export interface KeeperClock {
  /** Wall clock, in milliseconds since 1970. */
  now(): number;
  /** Nanoseconds on a clock that never jumps. Only differences have a meaning. */
  monotonic(): bigint;
  /** Calls `callback` once after so many milliseconds, unless the timer is disposed first. */
  after(milliseconds: number, callback: () => void, options?: TimerOptions): Disposable;
}

export const systemClock: KeeperClock = {
  now: () => Date.now(),
  monotonic: () => process.hrtime.bigint(),
  after: startTimer,
};

/** Waits until a promise settles or the timeout passes. The promise must never reject. */
export async function settledWithin(clock: KeeperClock, promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  using _ = clock.after(timeoutMs, timeout.resolve);
  await Promise.race([promise, timeout.promise]);
}
