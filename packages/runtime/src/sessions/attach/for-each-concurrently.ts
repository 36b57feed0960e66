/**
 * Runs a task for each item, with a limit on concurrent tasks. A task that takes longer than `slow` no longer counts, so
 * that slow tasks do not delay all others. Resolves when all tasks are done, and rejects with the first error.
 */
export async function forEachConcurrently<Item>(
  concurrency: number,
  items: AsyncIterable<Item>,
  task: (item: Item) => Promise<void>,
  slow: () => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  const running: Promise<void>[] = [];
  const worker = async (): Promise<void> => {
    for (let result = await iterator.next(); !result.done; result = await iterator.next()) {
      const done = task(result.value);
      running.push(done);
      await Promise.race([done, slow()]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  await Promise.all(running);
}
