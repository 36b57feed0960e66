/** Maps over items with limited concurrency: more tasks than cores only wait for each other. */
export async function mapConcurrently<Item, Result>(
  limit: number,
  items: readonly Item[],
  task: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const runWorker = async (): Promise<void> => {
    for (const [at, item] of remaining) results[at] = await task(item, at);
  };
  await Promise.all(Array.from({ length: limit }, runWorker));
  return results;
}
