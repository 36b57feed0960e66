import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { completionFor } from "./completion-for.ts";
import { createProgram } from "./program.ts";

const program = createProgram(async () => {});

function completed(...typed: readonly string[]): string[] {
  const words = typed.map((word) => `'${word}'`).join(" ");
  const asked = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length - 1}; _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", `${completionFor("bash", program)}\n${asked}`], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean);
}

it("completes commands and their options in bash", () => {
  expect(completed("fairlead", "lo")).toEqual(["logs"]);
  expect(completed("fairlead", "logs", "--f")).toEqual(["--follow"]);
  expect(completed("fairlead", "logs", "x")).toEqual([]);
});

it.each(["zsh", "fish"] as const)("knows every command in %s", (shell) => {
  const script = completionFor(shell, program);
  for (const command of program.commands) expect(script).toContain(command.name());
});
