import { expect, test } from "vitest";
import { chartMinutes, toMinuteBars } from "./minute-bars.ts";

const newest = "2026-11-19T10:00:00.000Z";
const at = (minutes: number): number => Date.parse(newest) + minutes * 60_000 + 5000;
const recent = { newest, counts: [1, 2, 3] };

test.each([
  ["the current minute is the last bar", 0, [1, 2, 3]],
  ["quiet minutes are zero", 2, [1, 2, 3, 0, 0]],
  ["a clock behind that of the service shifts nothing", -5, [1, 2, 3]],
])("%s", (_, minutes, end) => {
  const bars = toMinuteBars(recent, at(minutes));
  expect(bars).toHaveLength(chartMinutes);
  expect(bars.slice(-end.length)).toEqual(end);
  expect(bars.slice(0, -end.length).every((count) => count === 0)).toBe(true);
});

test("after a long quiet time, and without events, all are zero", () => {
  expect(Math.max(...toMinuteBars(recent, at(500)))).toBe(0);
  expect(Math.max(...toMinuteBars(null, at(0)))).toBe(0);
});
