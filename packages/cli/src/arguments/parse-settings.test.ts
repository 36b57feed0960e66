import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseSettings } from "./parse-settings.ts";
import { UsageError } from "../usage-error.ts";

it("parses values as JSON or else as text, and nests keys at dots", () => {
  const set = ["timeout=5000", "env.NAME=some text", "env.EMPTY=", "list=[1,2]", "equation=a=b"];
  expect(parseSettings({ set }, "/")).toEqual({
    timeout: 5000,
    env: { NAME: "some text", EMPTY: "" },
    list: [1, 2],
    equation: "a=b",
  });
});

it("lets options override the file, and --set override options", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fl-"));
  writeFileSync(join(folder.path, "s.json"), JSON.stringify({ model: "file", maxTurns: 1, other: true }));
  const options = { settings: "s.json", model: "option", systemPrompt: "p", set: ["maxTurns=3"] };
  expect(parseSettings(options, folder.path)).toEqual({ model: "option", maxTurns: 3, other: true, systemPrompt: "p" });
});

it.each([["novalue"], ["=5"], ["a..b=1"], ["__proto__.x=1"]])("rejects --set %s", (assignment) => {
  expect(() => parseSettings({ set: [assignment] }, "/")).toThrow(UsageError);
});

it("rejects nesting below a value that is no object, and a missing file", () => {
  expect(() => parseSettings({ set: ["a=1", "a.b=2"] }, "/")).toThrow(UsageError);
  expect(() => parseSettings({ settings: "missing.json" }, "/")).toThrow(UsageError);
});
