import { expect, test } from "vitest";
import { findReachedLimit, raisesLimit, SpendingLimits, tightenLimits } from "./spending-limits.ts";

test.each([{ usd: 0 }, { usd: -1 }, { tokens: 1.5 }, { seconds: Infinity }, { euro: 1 }, { usd: "2" }])(
  "refuses %j",
  (limits) => {
    expect(SpendingLimits.safeParse(limits).success).toBe(false);
  },
);

test("a limit is reached when all of it is used", () => {
  const spent = { usd: 1, tokens: 10, seconds: 5 };
  expect(findReachedLimit({ usd: 1.01, tokens: 11, seconds: 5.1 }, spent)).toBeNull();
  expect(findReachedLimit({ usd: 1.01, tokens: 10 }, spent)).toBe("tokens");
  expect(findReachedLimit({}, spent)).toBeNull();
});

test("tightens kind by kind", () => {
  expect(tightenLimits({ usd: 1, tokens: 10 }, { usd: 2, tokens: 5, seconds: 3 })).toEqual({
    usd: 1,
    tokens: 5,
    seconds: 3,
  });
  expect(tightenLimits({}, {})).toEqual({});
});

test("to set a limit where there is none does not raise one", () => {
  expect(raisesLimit({ usd: 1 }, { tokens: 5, usd: 1 })).toBe(false);
  expect(raisesLimit({ usd: 1 }, { tokens: 5, usd: 1.1 })).toBe(true);
});
