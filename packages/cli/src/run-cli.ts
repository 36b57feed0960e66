import { CommanderError, type Command } from "commander";
import { formatError } from "./format-error.ts";
import { cliExitCodes } from "./exit-codes.ts";
import { createProgram } from "./program.ts";
import type { CliContext } from "./cli-context.ts";
import { UsageError } from "./usage-error.ts";

/** Runs a command line and returns the exit code. Never throws. */
export async function runCli(words: readonly string[], context: CliContext): Promise<number> {
  let exitCode: number = cliExitCodes.success;
  const json = wantsJson(words);
  if (json) context.screen.printWarningsAsJson();
  const program = createProgram(
    async (command) => {
      exitCode = await command(context);
    },
    {
      context,
      onUsageError: json ? (text) => context.screen.printJsonError(formatError(new UsageError(text)).json) : null,
    },
  );
  try {
    // Without a command, the help is what a person needs.
    await program.parseAsync(words.length === 0 ? ["--help"] : words, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has already printed its message. For help and version it throws with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? cliExitCodes.success : cliExitCodes.usageError;
    const debug = Boolean(context.environment["FAIRLEAD_DEBUG"]);
    const formatted = formatError(error, { debug, session: findTypedSession(program, words), command: words[0] });
    if (json) context.screen.printJsonError(formatted.json);
    else context.screen.printError(formatted.text);
    return formatted.exitCode;
  }
}

/** Whether the command prints JSON. Words after `--` are arguments. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return (end < 0 ? words : words.slice(0, end)).includes("--json");
}

/** Returns the session that was typed, if the command takes one. */
function findTypedSession(program: Command, [name]: readonly string[]): string | undefined {
  const command = program.commands.find((one) => one.name() === name);
  return command?.registeredArguments[0]?.name() === "session" ? command.args[0] : undefined;
}
