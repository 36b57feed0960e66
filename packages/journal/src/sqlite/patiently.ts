import { setTimeout as pause } from "node:timers/promises";
import { failure, isBusy } from "./failure.ts";

const longest = 10_000;

/**
 * Runs something that may find the file locked by another process, and tries again for ten seconds before it is
 * `unavailable`. It waits in the event loop's time and not in SQLite's, so that all else goes on.
 */
export async function patiently<Result>(action: () => Result): Promise<Result> {
  const end = performance.now() + longest;
  for (let delay = 1; ; delay = Math.min(2 * delay, 32)) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= end) throw failure(error);
    }
    // Not in step with the others who wait.
    await pause(delay * (0.5 + Math.random()));
  }
}
