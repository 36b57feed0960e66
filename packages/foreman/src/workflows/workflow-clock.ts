import { startTimer } from "@fairlead/contract";

/** The time functions that an engine needs. Tests provide their own. */
export interface WorkflowClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a delay in milliseconds, or as soon as the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemWorkflowClock: WorkflowClock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => {
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = startTimer(milliseconds, finish);
    function finish(): void {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", finish);
      resolve();
    }
    signal.addEventListener("abort", finish, { once: true });
    return promise;
  },
};
