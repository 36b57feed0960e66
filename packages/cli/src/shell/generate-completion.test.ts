import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { generateCompletion } from "./generate-completion.ts";
import { createProgram } from "../program.ts";

const program = createProgram(async () => {});

function complete(...typed: readonly string[]): string[] {
  const words = typed.map((word) => `'${word}'`).join(" ");
  const completionCall = `COMP_WORDS=(${words}); COMP_CWORD=${typed.length - 1}; _fairlead; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", `${generateCompletion("bash", program)}\n${completionCall}`], {
    encoding: "utf8",
  });
  return stdout.split("\n").filter(Boolean);
}

it("completes commands and their options in bash", () => {
  expect(complete("fairlead", "lo")).toEqual(["logs"]);
  expect(complete("fairlead", "logs", "--f")).toEqual(["--follow"]);
  expect(complete("fairlead", "logs", "x")).toEqual([]);
});

it.each(["zsh", "fish"] as const)("contains every command in %s", (shell) => {
  const script = generateCompletion(shell, program);
  for (const command of program.commands) expect(script).toContain(command.name());
});
