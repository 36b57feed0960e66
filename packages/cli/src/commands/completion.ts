import { Argument, type Command } from "commander";
import { completionFor, shells, type Shell } from "../completion-for.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Run } from "./run-command.ts";

export function addCompletion(program: Command, run: Run): void {
  program
    .command("completion")
    .summary("print what makes a shell complete these commands")
    .description("Prints a script for a shell that completes commands and their options.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText("after", help)
    .action((shell: Shell) =>
      run(async ({ screen }) => {
        screen.line(completionFor(shell, program));
        return exitCodes.done;
      }),
    );
}

const help = `
Examples:
  source <(fairlead completion bash)
  fairlead completion zsh > "\${fpath[1]}/_fairlead"
  fairlead completion fish > ~/.config/fish/completions/fairlead.fish`;
