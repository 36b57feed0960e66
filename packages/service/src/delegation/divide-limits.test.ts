import { expect, test } from "vitest";
import { divideLimits, returnUnused } from "./divide-limits.ts";

const none = { usd: 0, tokens: 0, seconds: 0 };

test("divides what is left, and the sum stays the same", () => {
  const spent = { usd: 1, tokens: 100, seconds: 10 };
  const { child, parent } = divideLimits({ usd: 6, tokens: 1000, seconds: 60 }, spent, { seconds: 20 }, 5);
  expect(child).toEqual({ usd: 1, tokens: 180, seconds: 20 });
  expect(parent).toEqual({ usd: 5, tokens: 820, seconds: 40 });
});

test.each([
  [{ tokens: 1000 }, { tokens: 1000 }, "1000 tokens are left, and 1000 are asked for."],
  [{ tokens: 4 }, {}, "4 tokens are left."],
  [{ usd: 2 }, { usd: 3 }, "2 US dollars are left, and 3 are asked for."],
])("of %j, %j is too much", (limits, requested, problem) => {
  expect(() => divideLimits(limits, none, requested, 5)).toThrow(problem);
});

test("a kind without a limit is what is requested", () => {
  expect(divideLimits({ tokens: 100 }, none, { usd: 1 }, 2)).toEqual({
    child: { usd: 1, tokens: 50 },
    parent: { tokens: 50 },
  });
});

test("returns what was not used, and nothing of a kind without a limit", () => {
  const spent = { usd: 0.5, tokens: 700, seconds: 0 };
  expect(returnUnused({ usd: 5, tokens: 100 }, { usd: 1, tokens: 500, seconds: 9 }, spent)).toEqual({ usd: 5.5 });
});
