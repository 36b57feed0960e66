/** Time, as far as sessions need it. Tests and simulations hand in another. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after so many milliseconds, unless disposed of before. */
  after(milliseconds: number, ring: () => void): Disposable;
}

export const realClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, ring) {
    const timer = setTimeout(ring, milliseconds);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after so many milliseconds, or as soon as the signal aborts. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.after(milliseconds, resolve);
    const stop = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
