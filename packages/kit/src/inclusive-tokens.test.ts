import { expect, test } from "vitest";
import { inclusiveTokens } from "./inclusive-tokens.ts";

const others = { cacheRead: 20, cacheWrite: 10, output: 5, reasoning: 1 };

test("what a cache gave or took is not counted twice", () => {
  expect(inclusiveTokens({ input: 100, ...others })).toEqual({ uncached: 70, ...others });
});

test("figures that do not fit together make no negative count", () => {
  expect(inclusiveTokens({ input: 25, ...others })).toEqual({ uncached: 0, ...others });
});
