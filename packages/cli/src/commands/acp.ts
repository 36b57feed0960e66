import { Readable, Writable } from "node:stream";
import { PermissionMode } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { settingsOf } from "../settings-of.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export interface AcpOptions {
  readonly agent?: string;
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly set?: readonly string[];
}

export function addAcp(program: Command, run: Run): void {
  program
    .command("acp")
    .summary("be an agent for an editor")
    .description(
      "Speaks the Agent Client Protocol on stdin and stdout, for an editor that starts it. See docs/editors.md.",
    )
    .option("-a, --agent <agent>", "which agent (default: what fairlead.yaml or FAIRLEAD_AGENT says)")
    .addOption(new Option("-m, --mode <mode>", "how much it may do without asking").choices(PermissionMode.options))
    .option("--model <name>", "the model, in the agent's words")
    .option("--set <key=value>", "any other setting; JSON or text, dots go deeper", collect)
    .addHelpText("after", "\nExample, as an editor's settings have it:\n  fairlead acp --agent scripted")
    .action((options: AcpOptions) => run((surroundings) => acp(surroundings, options)));
}

async function acp(surroundings: Surroundings, options: AcpOptions): Promise<number> {
  // Loaded here, since it brings the whole server and other commands need none of it.
  const { serveAcp } = await import("@fairlead/server");
  const { input, output, screen, folder } = surroundings;
  const { agent, mode } = options;
  const settings = settingsOf(options, folder);
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, leave);
  await using fairlead = await openFairlead(surroundings);
  await serveAcp({
    fairlead,
    order: { settings, ...(agent !== undefined && { agent }), ...(mode !== undefined && { mode }) },
    input: Readable.toWeb(input) as ReadableStream<Uint8Array>,
    output: Writable.toWeb(output),
    signal: leaving.signal,
    // Standard output is the protocol's.
    log: (line) => screen.warn(line),
  });
  return exitCodes.done;
}

function collect(typed: string, before: readonly string[] = []): string[] {
  return [...before, typed];
}
