import { expect, test } from "vitest";
import { z } from "zod";
import { readBody } from "./read-body.ts";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test("rejects a body that is nested too deeply, and does not count brackets in strings", () => {
  expect(() => readBody(z.unknown(), nested(65))).toThrow("nested deeper");
  expect(readBody(z.unknown(), nested(64))).toBeDefined();
  expect(readBody(z.unknown(), JSON.stringify({ text: '[{\\"[{'.repeat(100) }))).toBeDefined();
});

test("rejects an unterminated string in linear time", () => {
  const start = performance.now();
  expect(() => readBody(z.unknown(), `"${'\\"'.repeat(500_000)}`)).toThrow("not JSON");
  // A search for the end of the string from every character took half an hour.
  expect(performance.now() - start).toBeLessThan(2000);
});
