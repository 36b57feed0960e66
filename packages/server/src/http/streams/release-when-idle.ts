/** How long the consumer may request no event before the source is closed, in milliseconds. */
const idleTimeout = 1000;

/**
 * Reads events after a sequence, and closes the source while the consumer requests none. History comes in large pages,
 * and each of many stalled readers would keep one in memory. The next request opens the source again after the last
 * sequence.
 */
export async function* releaseWhenIdle<Item extends object>(
  open: (after: number) => AsyncIterable<Item>,
  after: number,
): AsyncGenerator<Item> {
  let source: AsyncIterator<Item> | null = null;
  let lastSequence = after;
  let [yielded, yieldedAtLastTick] = [0, -1];
  let isRequested = true;
  const timer = setInterval(() => {
    if (!isRequested && yielded === yieldedAtLastTick) {
      source?.return?.().catch(() => {}); // the source is no longer used, so its error does not matter
      source = null;
    }
    yieldedAtLastTick = yielded;
  }, idleTimeout);
  try {
    for (;;) {
      source ??= open(lastSequence)[Symbol.asyncIterator]();
      const { value, done } = await source.next();
      if (done === true) return;
      if ("sequence" in value) lastSequence = Number(value.sequence);
      yielded += 1;
      isRequested = false;
      yield value;
      isRequested = true;
    }
  } finally {
    clearInterval(timer);
    await source?.return?.();
  }
}
