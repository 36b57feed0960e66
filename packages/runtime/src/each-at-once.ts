/** Does something with each item, with so many at once. What is thrown ends it all. */
export async function eachAtOnce<Item>(
  atOnce: number,
  items: AsyncIterable<Item>,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const next = items[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (let step = await next.next(); !step.done; step = await next.next()) await act(step.value);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
