import { expect, test } from "vitest";
import { omitKey, ownValue } from "./own-value.ts";

const inherited = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];

test.each(inherited)("%s is found only if it was stored", (key) => {
  expect(ownValue<unknown>({}, key)).toBeUndefined();
  const stored = JSON.parse(`{"${key}":1,"other":2}`) as Record<string, number>;
  expect(ownValue(stored, key)).toBe(1);
  expect(ownValue({ ...stored, [key]: 3 }, key)).toBe(3);
  expect(omitKey(stored, key)).toEqual({ other: 2 });
});

test("an object without the key stays the same object", () => {
  const record = { a: 1 };
  expect(omitKey(record, "b")).toBe(record);
  expect(omitKey(record, "constructor")).toBe(record);
});
