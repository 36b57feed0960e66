/** How long nobody may have asked for more, in milliseconds, before what is read from is let go of. */
const idle = 1000;

/**
 * Reads events from a number on, and lets go of where they come from while nobody asks for more: history comes in pages,
 * which are large, and each of many readers that stall would hold on to one. Asked again, it goes on from the last number.
 */
export async function* whileAsked<One extends object>(
  open: (after: number) => AsyncIterable<One>,
  after: number,
): AsyncGenerator<One> {
  let source: AsyncIterator<One> | null = null;
  let last = after;
  let [given, seen] = [0, -1];
  let isAsked = true;
  const timer = setInterval(() => {
    if (!isAsked && given === seen) {
      source?.return?.().catch(() => {}); // it is of no use any more, whatever becomes of it
      source = null;
    }
    seen = given;
  }, idle);
  try {
    for (;;) {
      source ??= open(last)[Symbol.asyncIterator]();
      const { value, done } = await source.next();
      if (done === true) return;
      if ("sequence" in value) last = Number(value.sequence);
      given += 1;
      isAsked = false;
      yield value;
      isAsked = true;
    }
  } finally {
    clearInterval(timer);
    await source?.return?.();
  }
}
