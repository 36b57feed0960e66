import { expect, test } from "vitest";
import { jsonDepth } from "./json-depth.ts";

test.each([
  ["", 0],
  ["1", 0],
  ["{}", 1],
  ['{"a":[1,{"b":2}],"c":[]}', 3],
  ["[[],[[]]]", 3],
])("the depth of %s is %i", (text, depth) => {
  expect(jsonDepth(text)).toBe(depth);
});

test("ignores brackets inside strings, also after an escaped quote", () => {
  expect(jsonDepth(JSON.stringify({ text: '[{\\"[{'.repeat(100) }))).toBe(1);
});

test("takes linear time for a string that does not end", () => {
  const start = performance.now();
  expect(jsonDepth(`"${'\\"'.repeat(500_000)}`)).toBe(0);
  expect(performance.now() - start).toBeLessThan(2000);
});
