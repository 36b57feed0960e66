import { expect, test } from "vitest";
import {
  type BrowserKeys,
  type BrowserTakeOver,
  isTakenOver,
  isTypedInOrder,
} from "../claims/web-takeover/web-takeover.ts";

const taken: BrowserTakeOver = { leads: ["human", "agent"], knows: ["a", "b", "c"], echoP95: 500, problems: [] };

test.each<[string, Partial<BrowserTakeOver>, boolean]>([
  ["everything", {}, true],
  ["a word less", { knows: ["a", "b"] }, false],
  ["no hand-back", { leads: ["human"] }, false],
  ["a second take-over", { leads: ["human", "agent", "human", "agent"] }, false],
  ["a violation of the policy", { problems: ["style-src"] }, false],
])("a take-over with %s holds only if the agent knows all words", (_, change, holds) => {
  expect(isTakenOver({ ...taken, ...change })).toBe(holds);
});

const typed: BrowserKeys = {
  keyCount: 2000,
  isInOrder: true,
  isControlInOrder: false,
  echoP50: 20,
  echoP95: 55,
  bareP50: 1,
  bareP95: 5,
  problems: [],
};

test.each<[string, Partial<BrowserKeys>, boolean]>([
  ["the largest difference", {}, true],
  ["a slower echo", { echoP95: 55.1 }, false],
  ["no echo", { echoP95: Number.NaN }, false],
  ["keys out of order", { isInOrder: false }, false],
  ["a control that does not fail", { isControlInOrder: true }, false],
])("keys with %s hold only in order and in time", (_, change, holds) => {
  expect(isTypedInOrder({ ...typed, ...change })).toBe(holds);
});
