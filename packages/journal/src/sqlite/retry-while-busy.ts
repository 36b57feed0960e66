import { setTimeout as pause } from "node:timers/promises";
import { toJournalError, isBusy } from "./sqlite-errors.ts";

const maxWaitMs = 10_000;

/**
 * Runs an action and retries it while another process has locked the file. Throws `unavailable` after ten seconds. The
 * wait is asynchronous, unlike SQLite's own busy timeout, so that it does not block the event loop.
 */
export async function retryWhileBusy<Result>(
  action: () => Result,
  toError: (error: unknown) => unknown = toJournalError,
): Promise<Result> {
  const deadline = performance.now() + maxWaitMs;
  for (let delayMs = 1; ; delayMs = Math.min(2 * delayMs, 32)) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toError(error);
    }
    // Jitter keeps waiting processes from retrying in step.
    await pause(delayMs * (0.5 + Math.random()));
  }
}
