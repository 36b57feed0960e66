import { Readable, Writable } from "node:stream";
import { PermissionMode } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { collectValues } from "../../arguments/parse-options.ts";
import { parseSettings } from "../../arguments/parse-settings.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface AcpCommandOptions {
  readonly agent?: string;
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly set?: readonly string[];
}

export function addAcp(program: Command, run: CommandRunner): void {
  program
    .command("acp")
    .summary("Serve the Agent Client Protocol to an editor.")
    .description(
      "Serve the Agent Client Protocol on stdin and stdout, for an editor that starts this command. See docs/build/acp.md.",
    )
    .option("-a, --agent <agent>", "agent to run (default: from fairlead.yaml or FAIRLEAD_AGENT)")
    .addOption(
      new Option("-m, --mode <mode>", "permission mode, see `fairlead run --help`").choices(PermissionMode.options),
    )
    .option("--model <name>", "model, as the agent names it")
    .option("--set <key=value>", "set any setting to JSON or text; a dot in the key nests", collectValues)
    .addHelpText("after", "\nExample, for the settings of an editor:\n  fairlead acp --agent scripted")
    .action((options: AcpCommandOptions) => run((context) => acp(context, options)));
}

async function acp(context: CliContext, options: AcpCommandOptions): Promise<number> {
  // Loaded here: it brings the whole server, and other commands do not need it.
  const { serveAcp } = await import("@fairlead/server");
  const { input, output, screen, folder } = context;
  const { agent, mode } = options;
  const settings = parseSettings(options, folder);
  const shutdown = new AbortController();
  const onSignal = (): void => shutdown.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, onSignal);
  await using fairlead = await openFairlead(context);
  await serveAcp({
    fairlead,
    startOptions: { settings, ...(agent !== undefined && { agent }), ...(mode !== undefined && { mode }) },
    input: Readable.toWeb(input) as ReadableStream<Uint8Array>,
    output: Writable.toWeb(output),
    signal: shutdown.signal,
    // Standard output carries only the protocol.
    log: (line) => screen.warn(line),
  });
  return cliExitCodes.success;
}
