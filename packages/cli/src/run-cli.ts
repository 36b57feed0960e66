import { CommanderError } from "commander";
import { formatError } from "./format-error.ts";
import { cliExitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import type { CliContext } from "./cli-context.ts";

/** Runs a command line and returns the exit code. Never throws. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = cliExitCodes.success;
  const program = createProgram(async (command) => {
    exitCode = await command(context);
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message. For help and version it throws with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? cliExitCodes.success : cliExitCodes.usageError;
    const formatted = formatError(error, Boolean(context.environment["FAIRLEAD_DEBUG"]));
    context.screen.printError(formatted.text);
    return formatted.exitCode;
  }
}
