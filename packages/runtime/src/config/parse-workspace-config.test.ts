import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { expect, test } from "vitest";
import { parseWorkspaceConfig } from "./parse-workspace-config.ts";

test("parses a file, and an empty one", () => {
  expect(parseWorkspaceConfig("agent: shell\nsettings: { shell: { timeout: 5 } }\n")).toEqual({
    agent: "shell",
    settings: { shell: { timeout: 5 } },
  });
  expect(parseWorkspaceConfig("")).toEqual({ settings: {} });
});

test.each([
  ["agent: shell\nmodel: a: b\n", "Line 2: Nested mappings are not allowed in compact mappings"],
  ["agent: shell\nmodel: m\nagent: scripted\n", "Line 3: The key occurs twice."],
  ["settings:\n  shell:\n    env: {}\n    env: {}\n", "Line 4: The key occurs twice."],
  ["\nagnt: shell\n", /^Line 2: There is no key "agnt"\. Keys: agent, model, mode, .*policy/],
  ["agent: shell\nmaxTurns: 0\n", /^Line 2: The value of maxTurns is not valid: /],
  ["- shell\n", /^Line 1: The file is not valid: /],
  ["settings: { shell: { env: *secret } }\n", /Unresolved alias/],
])("%j is rejected with the line of the problem", (text, message) => {
  expect(() => parseWorkspaceConfig(text)).toThrow(message);
});

test("the message of a large invalid file is short", () => {
  const text = Array.from({ length: 9000 }, (_, at) => `k${at}: 1\n`).join("");
  expect(() => parseWorkspaceConfig(text)).toThrow(/^.{1,400}$/);
});

test.each<readonly [name: string, text: (count: number) => string]>([
  ["keys", (count) => `settings:\n  shell:\n${list(count, (at) => `    k${at}: 1\n`)}`],
  ["keys in braces", (count) => `settings: { shell: { ${list(count, (at) => `k${at}: 1, `)} } }`],
  ["unknown keys", (count) => list(count, (at) => `k${at}: 1\n`)],
  ["nested lists", (count) => `agent: ${"[".repeat(count)}`],
  ["nested maps", (count) => `agent: ${"{a: ".repeat(count)}`],
  ["aliases", (count) => `settings: { shell: { a: &a 1, b: [${"*a,".repeat(count)}] } }`],
  ["empty keys", (count) => "?\n".repeat(count)],
  ["quotes", (count) => '"'.repeat(count)],
  ["lines", (count) => `${"\n".repeat(count)}agent: shell`],
])("is parsed in time that grows with the number of its %s", (_name, text) => {
  const parse = (count: number): unknown => {
    try {
      return parseWorkspaceConfig(text(count));
    } catch (error) {
      return error;
    }
  };
  expect(measureGrowthExponent(parse, 2000)).toBeLessThan(1.5);
});

function list(count: number, item: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => item(at)).join("");
}
