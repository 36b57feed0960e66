import { expect, test } from "vitest";
import { retriesWithin } from "./retries-within.ts";

test.each([
  [0, 0],
  [499, 0],
  [500, 1],
  [1499, 1],
  [1500, 2],
  [3500, 3],
  [5499, 3],
  // From here on the pause is the longest one.
  [5500, 4],
  [7500, 5],
])("within %i ms, with pauses from 500 to 2000, there is time for %i", (time, retries) => {
  expect(retriesWithin(time, { first: 500, longest: 2000 })).toBe(retries);
});
