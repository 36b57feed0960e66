/** Settles as the promise does, or rejects with the signal's reason if that aborts first. */
export async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort);
  promise.catch(() => {}); // it may reject after the signal has aborted, when no one reads it
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
