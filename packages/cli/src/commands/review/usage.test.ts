import { expect, it } from "vitest";
import { formatCosts } from "./usage.ts";

it.each([
  [null, null, "-"],
  [0.5, null, "$0.5000"],
  [null, 0.25, "~$0.2500"],
  [2, 0.25, "$2.00 + ~$0.2500"],
])("formats the reported cost %j and the estimate %j apart", (cost, estimate, text) => {
  expect(formatCosts(cost, estimate)).toBe(text);
});
