import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameJson } from "./is-same-json.ts";

test.each([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: 1 }, { a: "1" }, false],
  [[], {}, false],
  [{ 0: "a" }, ["a"], false],
  [null, {}, false],
  [undefined, undefined, true],
  [{ toString: 1 }, {}, false],
  [{}, { toString: 1 }, false],
  [JSON.parse('{"__proto__":1}'), {}, false],
])("compares %j and %j", (one, other, isSame) => {
  expect(isSameJson(one, other)).toBe(isSame);
  expect(isSameJson(other, one)).toBe(isSame);
});

test("a value equals its copy, and not a value that differs in one place", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      const copy: unknown = JSON.parse(JSON.stringify(value));
      const parsed: unknown = JSON.parse(JSON.stringify(other));
      expect(isSameJson(value, copy)).toBe(true);
      expect(isSameJson({ copy, parsed }, { copy, parsed: [parsed] })).toBe(false);
    }),
  );
});

test("compares values that are nested deeper than the stack", () => {
  const nest = (inner: unknown): unknown => {
    let value = inner;
    for (let depth = 0; depth < 200_000; depth += 1) value = [value];
    return value;
  };
  expect(isSameJson(nest("a"), nest("a"))).toBe(true);
  expect(isSameJson(nest("a"), nest("b"))).toBe(false);
});
