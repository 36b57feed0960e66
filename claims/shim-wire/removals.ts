import { envelope, events, faults, replies, type Shape } from "./shapes.ts";
import type { Json } from "./wire-client.ts";

const shapes: Readonly<Record<string, Shape>> = { envelope, ...events, ...replies };

/** The control: takes every field of the protocol out of the first message of each kind, and counts who notices. */
export function removals(seen: readonly { readonly name: string; readonly value: Json }[]): {
  readonly removed: number;
  readonly caught: number;
} {
  const firsts = new Map(seen.toReversed().map(({ name, value }) => [name, value]));
  let [removed, caught] = [0, 0];
  for (const [name, value] of firsts) {
    for (const field of Object.keys(shapes[name] ?? {})) {
      const less = Object.fromEntries(Object.entries(value).filter(([key]) => key !== field));
      removed += 1;
      if (faults(name, shapes[name], less).length > 0) caught += 1;
    }
  }
  return { removed, caught };
}
