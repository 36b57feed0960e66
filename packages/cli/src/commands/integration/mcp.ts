import type { Command } from "commander";
import { readVersion } from "@fairlead/daemon";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface McpCommandOptions {
  readonly readOnly?: boolean;
}

export function addMcp(program: Command, run: CommandRunner): void {
  program
    .command("mcp")
    .summary("Serve the Model Context Protocol to a program.")
    .description(
      "Serve tools that drive sessions over the Model Context Protocol, on stdin and stdout, for a program that starts this command. No tool answers a decision. See docs/build/mcp.md.",
    )
    .option("--read-only", "offer only the tools that change nothing")
    .addHelpText("after", "\nExample, for the settings of a program:\n  fairlead mcp --read-only")
    .action((options: McpCommandOptions) => run((context) => mcp(context, options)));
}

async function mcp(context: CliContext, { readOnly = false }: McpCommandOptions): Promise<number> {
  // Loaded here: other commands do not need it.
  const { serveMcp } = await import("@fairlead/server/mcp");
  const { input, output, screen, folder, environment } = context;
  const shutdown = new AbortController();
  const onSignal = (): void => shutdown.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  // A program is not a person: it does not get the scope `approve`, whatever its calls contain.
  await using fairlead = await openFairlead(context, { scopes: readOnly ? ["read"] : ["read", "drive"] });
  await serveMcp({
    fairlead,
    workspace: folder,
    version: readVersion(environment),
    readOnly,
    input,
    output,
    signal: shutdown.signal,
    // Standard output carries only the protocol.
    log: (line) => screen.warn(line),
  });
  return cliExitCodes.success;
}
