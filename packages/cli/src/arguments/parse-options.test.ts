import { expect, test } from "vitest";
import { parseDuration } from "./parse-options.ts";

test("a duration has a unit", () => {
  expect(["90s", "0.5m", "2h", "30d", "0s"].map(parseDuration)).toEqual([90_000, 30_000, 7_200_000, 2_592_000_000, 0]);
});

test.each(["5", "0", "0.5", "", "m", "5 d", "5w", "-5d"])("refuses %j", (text) => {
  expect(() => parseDuration(text)).toThrow("Expected a number with a unit, such as 90s, 10m, 2h or 30d.");
});
