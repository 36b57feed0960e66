import { expect, test } from "vitest";
import { freshnessOf } from "./freshness.ts";

const open = { isOpen: true, heardAt: 0, refusal: null };

test.each([
  ["an open connection that was heard of lately is live", open, 3999, { type: "live" }],
  [
    "an open connection that is silent is stale: nothing says that it still exists",
    open,
    12_345,
    { type: "stale", seconds: 12 },
  ],
  ["a closed connection is stale at once", { ...open, isOpen: false }, 500, { type: "stale", seconds: 0 }],
  ["nothing is known before the first message", { ...open, heardAt: null }, 99_999, { type: "connecting" }],
  [
    "a refused token is said even if messages arrived",
    { ...open, refusal: "no" },
    1,
    { type: "refused", reason: "no" },
  ],
])("%s", (_, facts, now, expected) => {
  expect(freshnessOf(facts, now)).toEqual(expected);
});
