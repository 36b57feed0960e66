import { expect, test } from "vitest";
import { flagArguments, flagsIn, PassedFlags } from "./flags.ts";

test("the flags of a help text are found once each, in order, wherever they stand", () => {
  const help = `Usage: agent [--print|-p] --zeta=<x>
    -o, --output-format <f>   one of "text" (with --print), see \`--MCP-config2\`
    --print, not a flag: a--b, ---, --, --1, x--zz, ----four, -single`;
  expect(flagsIn(help)).toEqual(["--MCP-config2", "--output-format", "--print", "--zeta"]);
  expect(flagsIn("no flags")).toEqual([]);
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
])("a flag with the value %j becomes the arguments %j", (value, args) => {
  expect(flagArguments("--f", value)).toEqual(args);
});

test("flags that are passed through are named without dashes and hold what a flag can be set to", () => {
  const flags = { verbose: true, "max-turns": 3, "add-dir": ["a", "b"], model: "m", x2: false };
  expect(PassedFlags.parse(flags)).toEqual(flags);
});

test.each(["--verbose", "-v", "Verbose", "2x", "", "a b", "a=b", "a\n"])("%j is no name of a flag", (name) => {
  expect(PassedFlags.safeParse({ [name]: true }).success).toBe(false);
});

test.each([null, {}, [1], undefined])("%j is nothing that a flag can be set to", (value) => {
  expect(PassedFlags.safeParse({ flag: value }).success).toBe(false);
});
