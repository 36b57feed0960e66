import { setTimeout as delay } from "node:timers/promises";

/** Waits for something, but not for ever. It must never reject. */
export async function settledWithin(promise: Promise<unknown>, patience: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([promise, delay(patience, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
}
