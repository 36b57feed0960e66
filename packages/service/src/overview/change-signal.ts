import type { Clock } from "@fairlead/runtime";

/** Lets any number of readers wait for the next change. */
export class ChangeSignal {
  readonly #waiting = new Set<() => void>();

  notify(): void {
    for (const resume of this.#waiting) resume();
  }

  /** Resolves at the next change, after a time in milliseconds, or when the signal aborts. Returns whether it was the time. */
  waitAtMost(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isTime: boolean): void => {
        timer[Symbol.dispose]();
        this.#waiting.delete(resume);
        signal.removeEventListener("abort", resume);
        resolve(isTime);
      };
      const resume = (): void => finish(false);
      const timer = clock.after(milliseconds, () => finish(true));
      this.#waiting.add(resume);
      signal.addEventListener("abort", resume);
      if (signal.aborted) resume();
    });
  }
}
