import { setTimeout as delay } from "node:timers/promises";

/** What is waited for, or `late` when it takes longer than so many milliseconds. */
export async function within<T, Late>(wanted: Promise<T>, milliseconds: number, late: Late): Promise<T | Late> {
  using stop = new DisposableStack();
  const { signal } = stop.adopt(new AbortController(), (controller) => controller.abort());
  return await Promise.race([wanted, delay(milliseconds, late, { signal }).catch(() => late)]);
}
