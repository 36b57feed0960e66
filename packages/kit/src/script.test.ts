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
const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

test("a script that was put into a message is found in it again, whatever is said before and after", () => {
  fc.assert(
    fc.property(fc.string(), steps, fc.string(), (before, script, after) => {
      expect(findScript(withScript(before, script) + after)).toEqual(plain(script));
    }),
  );
});

test("a script may hold another, as a message for a sub-agent, and is not taken for it", () => {
  fc.assert(
    fc.property(steps, steps, (inner, outer) => {
      const script = [{ task: withScript("Do this:", inner) }, ...outer];
      expect(findScript(withScript("Delegate.", script))).toEqual(plain(script));
    }),
  );
});

test("of several scripts the last one counts, as in a conversation that is sent whole", () => {
  fc.assert(
    fc.property(steps, steps, (first, last) => {
      expect(findScript(`${withScript("a", first)}\n${withScript("b", last)}`)).toEqual(plain(last));
    }),
  );
});

test.each([
  ["nothing", ""],
  ["no script", "[{}]"],
  ["an empty one", "SCRIPT:"],
  ["one that does not end", 'SCRIPT:[{"a":1}'],
  ["one that is not JSON", "SCRIPT:[{a}]"],
  ["an object", 'SCRIPT:{"a":1}'],
  ["a list of words", 'SCRIPT:["a"]'],
  ["a list of nothing", "SCRIPT:[null]"],
  ["a list of lists", "SCRIPT:[[]]"],
  ["a word", 'SCRIPT:"[]"'],
])("%s is no script", (_, text) => {
  expect(findScript(text)).toBeUndefined();
});

test("what is no script does not hide the one before it or the one after it", () => {
  expect(findScript('SCRIPT:[{"a":1}] and then SCRIPT:[x')).toEqual([{ a: 1 }]);
  expect(findScript('SCRIPT:[ and then SCRIPT:[{"a":1}]')).toEqual([{ a: 1 }]);
});

test("a message reads as words, a marker and the script", () => {
  expect(withScript("Go.", [{ say: "]" }])).toBe('Go. SCRIPT:[{"say":"]"}]');
});
