import { SpendingLimits } from "@fairlead/contract";
import { expect, it } from "vitest";
import { parseLimits } from "./parse-limits.ts";

it.each([
  ["2usd,400k,30m", { usd: 2, tokens: 400_000, seconds: 1800 }],
  ["0.50 USD", { usd: 0.5 }],
  ["1.5k", { tokens: 1500 }],
  ["250tokens , 90s", { tokens: 250, seconds: 90 }],
  ["2h", { seconds: 7200 }],
  ["1d", { seconds: 86_400 }],
])("parses %s", (text, limits) => {
  expect(parseLimits(text)).toEqual(limits);
  expect(SpendingLimits.safeParse(parseLimits(text)).success).toBe(true);
});

it.each([
  ["", "is not a limit"],
  ["2usd,", "is not a limit"],
  ["-2usd", "is not a limit"],
  ["usd", "is not a limit"],
  ["1e9usd", "is not a limit"],
  ["400", "has no unit"],
  ["2M", 'unknown unit "M"'],
  ["2eur", 'unknown unit "eur"'],
  ["2toString", 'unknown unit "toString"'],
  ["2usd,3usd", "limits usd twice"],
  ["400k,1tokens", "limits tokens twice"],
  ["0usd", "allows nothing"],
  ["0.0001tokens", "allows nothing"],
])("rejects %j", (text, problem) => {
  expect(() => parseLimits(text)).toThrow(problem);
  expect(() => parseLimits(text)).toThrow(expect.objectContaining({ code: "commander.invalidArgument" }));
});
