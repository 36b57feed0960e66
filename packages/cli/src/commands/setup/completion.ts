import { Argument, type Command } from "commander";
import { generateCompletion, completionShells, type CompletionShell } from "../../shell/generate-completion.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addCompletion(program: Command, run: CommandRunner): void {
  program
    .command("completion")
    .summary("Print a completion script for a shell.")
    .description("Print a script that lets a shell complete commands and options.")
    .addArgument(new Argument("<shell>", "shell to complete in").choices(completionShells))
    .addHelpText("after", help)
    .action((shell: CompletionShell) =>
      run(async ({ screen }) => {
        screen.line(generateCompletion(shell, program));
        return cliExitCodes.success;
      }),
    );
}

const help = `
Examples:
  source <(fairlead completion bash)
  fairlead completion zsh > "\${fpath[1]}/_fairlead"
  fairlead completion fish \\
    > ~/.config/fish/completions/fairlead.fish`;
