import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandText, unwrapShellText } from "./command-text.ts";

test.for([
  ["/bin/bash -lc 'echo one; exit 3'", "echo one; exit 3"],
  ["bash -c ls", "ls"],
  [`/usr/bin/sh -c "it's"`, "it's"],
  [`/bin/bash -lc "sleep 0.5; printf '%s' 'one' > one.txt"`, "sleep 0.5; printf '%s' 'one' > one.txt"],
  [`bash -lc 'it'"'"'s'`, "it's"],
  [`bash -lc "bash -lc 'rm x'"`, "bash -lc 'rm x'"],
] as const)("unwraps %s", ([text, code]) => expect(unwrapShellText(text)).toBe(code));

test.for([
  "ls",
  "",
  "bash",
  "bash script.sh",
  "bash -c",
  "bash -c ''",
  "bash -lc 'ls' name",
  "bash -c 'ls'; rm x",
  "bash -c 'ls' > file",
  "bash -c 'ls' &",
  "X=1 bash -c 'ls'",
  'bash -c "$X"',
  'bash -c "$(ls)"',
  "bash -xc 'ls'",
  "zsh -lc 'ls'",
  "/usr/bin/zsh -lc 'ls'",
  "/usr/bin/fish -c 'ls'",
  "/tmp/evil/sh -c ls",
  "/usr/bin/evil/bash -lc ls",
  "/sh -c ls",
  "./bash -c ls",
  "bin/bash -c ls",
  "bash -lc 'ls",
  `bash -c ${"$(".repeat(20_000)}`,
])("leaves %s", (text) => expect(unwrapShellText(text)).toBe(text));

test("quotes a list of arguments so that bash reads the same list", () => {
  const word = fc.string({ unit: "binary-ascii", minLength: 0, maxLength: 12 }).filter((text) => !text.includes("\0"));
  const lists = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), { numRuns: 200, seed: 7 });
  lists.push(["time", "ls"], ["if"], ["A=b", "c"], ["a\nb"], ["~"], ["[["], ["!"], ["{"], ["bash", "-c", "ls", "name"]);
  // One bash for all: starting a program takes long in a process as large as this one.
  const run = (script: readonly string[]): string =>
    execFileSync("bash", { input: script.join("\n"), encoding: "utf8" });
  const texts = lists.map((list) => commandText(["printf", String.raw`%s\0`, ...list]) ?? "");
  expect(run(texts).split("\0").slice(0, -1)).toEqual(lists.flat());
  // As a name of a program, no word is a keyword or an assignment.
  const names = lists.map((list) => (commandText([list[0] ?? "", "x"]) ?? "").slice(0, -2));
  const types = run(names.map((name) => String.raw`set -- ${name}; printf '%s\0' "$1"`));
  expect(types.split("\0").slice(0, -1)).toEqual(lists.map(([first]) => first));
});

test("a list for a shell is its text", () => {
  expect(commandText(["/bin/bash", "-lc", "npm test | cat"])).toBe("npm test | cat");
  expect(commandText(["zsh", "-c", "ls"])).toBe("zsh -c ls");
  expect(commandText(["/tmp/evil/sh", "-c", "ls"])).toBe("/tmp/evil/sh -c ls");
  expect(commandText(["/usr/local/bin/bash", "-c", "ls"])).toBe("ls");
  expect(commandText(["time", "ls"])).toBe("'time' ls");
  expect(commandText([])).toBeNull();
  expect(commandText({ length: 1, 0: "ls" })).toBeNull();
});
