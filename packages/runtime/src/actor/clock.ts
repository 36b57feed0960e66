import { startTimer } from "@fairlead/contract";

/** The time functions that an actor needs. Tests and the simulation provide their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after a delay in milliseconds, unless the result is disposed first. */
  after(milliseconds: number, callback: () => void): Disposable;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => startTimer(milliseconds, callback),
};

/** Resolves after a delay in milliseconds, or as soon as the signal aborts. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.after(milliseconds, resolve);
    const finish = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    signal.addEventListener("abort", finish, { once: true });
  });
}
