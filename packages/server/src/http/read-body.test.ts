import { expect, test } from "vitest";
import { z } from "zod";
import { readBody } from "./read-body.ts";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test("what is nested without end is refused, and brackets within words do not count", () => {
  expect(() => readBody(z.unknown(), nested(65))).toThrow("nested deeper");
  expect(readBody(z.unknown(), nested(64))).toBeDefined();
  expect(readBody(z.unknown(), JSON.stringify({ text: '[{\\"[{'.repeat(100) }))).toBeDefined();
});

test("a word that never ends takes no longer than its length", () => {
  const began = performance.now();
  expect(() => readBody(z.unknown(), `"${'\\"'.repeat(500_000)}`)).toThrow("not JSON");
  // Looking for its end anew from every letter took half an hour.
  expect(performance.now() - began).toBeLessThan(2000);
});
