/** Does something for each, a few at a time: more than the machine has cores for only wait for each other. */
export async function atOnce<Item, Result>(
  few: number,
  items: readonly Item[],
  act: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await act(item, at);
  };
  await Promise.all(Array.from({ length: few }, work));
  return results;
}
