import { expect, test } from "vitest";
import { findScript, script } from "./script.ts";
import type { Step } from "./step.ts";

const awkward: Step[] = [
  { text: 'brackets ]}[{ and "quotes" and a \\ backslash' },
  { tools: [{ name: "Write", input: { content: 'a = [1, {"b": "]"}];\n' } }] },
];

test("a script survives the way through a prompt", () => {
  expect(findScript(script(awkward))).toEqual(awkward);
});

test("a script is found between other text", () => {
  const text = `<reminder>[not] {this}</reminder>\n${script(awkward, "Do it.")} and then ] } stop.`;
  expect(findScript(text)).toEqual(awkward);
});

test("of several scripts the last one counts", () => {
  expect(findScript(`${script([{ text: "one" }])}\n${script([{ text: "two" }])}`)).toEqual([{ text: "two" }]);
});

test("a script inside a string of another one is part of it", () => {
  const outer: Step[] = [{ tools: [{ name: "Agent", input: { prompt: script([{}]) } }] }];
  expect(findScript(script(outer))).toEqual(outer);
});

test.each(["", "SCRIPT:", "SCRIPT:[", 'SCRIPT:[{"text":"open', "SCRIPT:{}", "SCRIPT:[1]", "SCRIPT:[nonsense]"])(
  "%j holds no script",
  (text) => {
    expect(findScript(text)).toBeUndefined();
  },
);

test("what only looks like a script does not hide a real one", () => {
  expect(findScript(`The word SCRIPT:[ is meant. ${script([{ text: "real" }])}`)).toEqual([{ text: "real" }]);
});
