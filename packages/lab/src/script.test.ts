import { expect, test } from "vitest";
import { findScriptSteps, scriptPrompt, type ScriptStep } from "./script.ts";

const awkwardSteps: ScriptStep[] = [
  { text: 'brackets ]}[{ and "quotes" and a \\ backslash' },
  { tools: [{ name: "Write", input: { content: 'a = [1, {"b": "]"}];\n' } }] },
];

test("finds the same script in the prompt that carries it", () => {
  expect(findScriptSteps(scriptPrompt(awkwardSteps))).toEqual(awkwardSteps);
});

test("finds a script between other text", () => {
  const text = `<reminder>[not] {this}</reminder>\n${scriptPrompt(awkwardSteps, "Do it.")} and then ] } stop.`;
  expect(findScriptSteps(text)).toEqual(awkwardSteps);
});

test("finds the last of several scripts", () => {
  expect(findScriptSteps(`${scriptPrompt([{ text: "one" }])}\n${scriptPrompt([{ text: "two" }])}`)).toEqual([
    { text: "two" },
  ]);
});

test("treats a script inside a string of another script as part of it", () => {
  const outer: ScriptStep[] = [{ tools: [{ name: "Agent", input: { prompt: scriptPrompt([{}]) } }] }];
  expect(findScriptSteps(scriptPrompt(outer))).toEqual(outer);
});

test.each(["", "SCRIPT:", "SCRIPT:[", 'SCRIPT:[{"text":"open', "SCRIPT:{}", "SCRIPT:[1]", "SCRIPT:[nonsense]"])(
  "finds no script in %j",
  (text) => {
    expect(findScriptSteps(text)).toBeUndefined();
  },
);

test("finds a script after text that only looks like one", () => {
  expect(findScriptSteps(`The word SCRIPT:[ is meant. ${scriptPrompt([{ text: "real" }])}`)).toEqual([
    { text: "real" },
  ]);
});
