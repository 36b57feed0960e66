import { setTimeout as delay } from "node:timers/promises";

/** Returns the promise's value, or `fallback` if the promise takes longer than `milliseconds`. */
export async function withTimeout<T, Fallback>(
  promise: Promise<T>,
  milliseconds: number,
  fallback: Fallback,
): Promise<T | Fallback> {
  using stack = new DisposableStack();
  const { signal } = stack.adopt(new AbortController(), (controller) => controller.abort());
  return await Promise.race([promise, delay(milliseconds, fallback, { signal }).catch(() => fallback)]);
}
