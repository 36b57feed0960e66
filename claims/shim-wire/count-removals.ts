import { envelope, events, findFaults, replies, type MessageShape } from "./message-shapes.ts";
import type { Json } from "./shim-test-client.ts";

const shapes: Readonly<Record<string, MessageShape>> = { envelope, ...events, ...replies };

/** The control: removes every field from the first message of each kind, and counts the detected removals. */
export function countRemovals(checkedMessages: readonly { readonly name: string; readonly value: Json }[]): {
  readonly removed: number;
  readonly caught: number;
} {
  const firstMessages = new Map(checkedMessages.toReversed().map(({ name, value }) => [name, value]));
  let [removed, caught] = [0, 0];
  for (const [name, value] of firstMessages) {
    for (const field of Object.keys(shapes[name] ?? {})) {
      const reduced = Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
      removed += 1;
      if (findFaults(name, shapes[name], reduced).length > 0) caught += 1;
    }
  }
  return { removed, caught };
}
