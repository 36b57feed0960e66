import fc from "fast-check";
import { expect, test } from "vitest";
import { findScript, withScript } from "./script.ts";

const steps = fc.array(
  fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    fc.jsonValue(),
  ),
  { maxLength: 5 },
);
const toPlainJson = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

test("finds the script of a message, whatever text surrounds it", () => {
  fc.assert(
    fc.property(fc.string(), steps, fc.string(), (before, script, after) => {
      expect(findScript(withScript(before, script) + after)).toEqual(toPlainJson(script));
    }),
  );
});

test("finds the outer script if a step contains a script for a sub-agent", () => {
  fc.assert(
    fc.property(steps, steps, (inner, outer) => {
      const script = [{ task: withScript("Do this:", inner) }, ...outer];
      expect(findScript(withScript("Delegate.", script))).toEqual(toPlainJson(script));
    }),
  );
});

test("returns the last of several scripts, as in a whole conversation", () => {
  fc.assert(
    fc.property(steps, steps, (first, last) => {
      expect(findScript(`${withScript("a", first)}\n${withScript("b", last)}`)).toEqual(toPlainJson(last));
    }),
  );
});

test.each([
  ["an empty text", ""],
  ["a list without a marker", "[{}]"],
  ["a marker without a list", "SCRIPT:"],
  ["a list that does not end", 'SCRIPT:[{"a":1}'],
  ["a list that is not JSON", "SCRIPT:[{a}]"],
  ["an object", 'SCRIPT:{"a":1}'],
  ["a list of strings", 'SCRIPT:["a"]'],
  ["a list of null", "SCRIPT:[null]"],
  ["a list of lists", "SCRIPT:[[]]"],
  ["a string", 'SCRIPT:"[]"'],
])("finds no script in %s", (_, text) => {
  expect(findScript(text)).toBeUndefined();
});

test("an invalid script does not hide the one before it or after it", () => {
  expect(findScript('SCRIPT:[{"a":1}] and then SCRIPT:[x')).toEqual([{ a: 1 }]);
  expect(findScript('SCRIPT:[ and then SCRIPT:[{"a":1}]')).toEqual([{ a: 1 }]);
});

test("appends a marker and the script to the message", () => {
  expect(withScript("Go.", [{ say: "]" }])).toBe('Go. SCRIPT:[{"say":"]"}]');
});
