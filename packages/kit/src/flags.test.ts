import { expect, test } from "vitest";
import { flagToArguments, findFlags, PassThroughFlags } from "./flags.ts";

test("finds each flag of a help text once, sorted", () => {
  const help = `Usage: agent [--print|-p] --zeta=<x>
    -o, --output-format <f>   one of "text" (with --print), see \`--MCP-config2\`
    --print, not a flag: a--b, ---, --, --1, x--zz, ----four, -single`;
  expect(findFlags(help)).toEqual(["--MCP-config2", "--output-format", "--print", "--zeta"]);
  expect(findFlags("no flags")).toEqual([]);
});

test.each([
  [true, ["--f"]],
  [false, []],
  ["", ["--f", ""]],
  ["two words", ["--f", "two words"]],
  [0, ["--f", "0"]],
  [1.5, ["--f", "1.5"]],
  [
    ["a", "b"],
    ["--f", "a", "--f", "b"],
  ],
  [[], []],
])("converts a flag with the value %j to the arguments %j", (value, args) => {
  expect(flagToArguments("--f", value)).toEqual(args);
});

test("accepts names without dashes and valid values", () => {
  const flags = { verbose: true, "max-turns": 3, "add-dir": ["a", "b"], model: "m", x2: false };
  expect(PassThroughFlags.parse(flags)).toEqual(flags);
});

test.each(["--verbose", "-v", "Verbose", "2x", "", "a b", "a=b", "a\n"])("rejects the flag name %j", (name) => {
  expect(PassThroughFlags.safeParse({ [name]: true }).success).toBe(false);
});

test.each([null, {}, [1], undefined])("rejects the flag value %j", (value) => {
  expect(PassThroughFlags.safeParse({ flag: value }).success).toBe(false);
});
