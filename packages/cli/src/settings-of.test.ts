import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { settingsOf } from "./settings-of.ts";
import { WrongUse } from "./wrong-use.ts";

it("takes JSON where it is JSON, text where it is not, and goes deeper at dots", () => {
  const set = ["timeout=5000", "env.NAME=some text", "env.EMPTY=", "list=[1,2]", "equation=a=b"];
  expect(settingsOf({ set }, "/")).toEqual({
    timeout: 5000,
    env: { NAME: "some text", EMPTY: "" },
    list: [1, 2],
    equation: "a=b",
  });
});

it("lets the file be overruled by options, and those by --set", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  writeFileSync(join(folder.path, "s.json"), JSON.stringify({ model: "file", maxTurns: 1, other: true }));
  const options = { settings: "s.json", model: "option", systemPrompt: "p", set: ["maxTurns=3"] };
  expect(settingsOf(options, folder.path)).toEqual({ model: "option", maxTurns: 3, other: true, systemPrompt: "p" });
});

it.each([["novalue"], ["=5"], ["a..b=1"], ["__proto__.x=1"]])("refuses --set %s", (assignment) => {
  expect(() => settingsOf({ set: [assignment] }, "/")).toThrow(WrongUse);
});

it("refuses to put something into what is not an object, and files that are none", () => {
  expect(() => settingsOf({ set: ["a=1", "a.b=2"] }, "/")).toThrow(WrongUse);
  expect(() => settingsOf({ settings: "missing.json" }, "/")).toThrow(WrongUse);
});
