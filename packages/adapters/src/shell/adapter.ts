import type { Adapter } from "@fairlead/contract";
import { parseShell, probeProgram } from "@fairlead/kit";
import { z } from "zod";
import { createShellDialect, type ShellState } from "./dialect.ts";
import { shellArguments } from "./wire.ts";

const CommandNameList = z.array(z.string().regex(/^[^\s/]+$/, "a command's bare name"));

const Settings = z.strictObject({
  timeout: z.int().positive().default(120_000).describe("How long a command may take, in ms."),
  allowedCommands: CommandNameList.optional().describe("The only commands that may run. Without it every command may."),
  deniedCommands: CommandNameList.default([]).describe(
    "Commands that may not run, even if `allowedCommands` lists them.",
  ),
  successExitCodes: z
    .array(z.int().min(0).max(255))
    .min(1)
    .default([0])
    .describe("The exit codes with which a command counts as successful."),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe("Variables for every command. Their values are in no event, log or checkpoint."),
});
type Settings = z.infer<typeof Settings>;

/** A shell as an agent: each message is a command, and each turn is its run. */
export const shellAdapter: Adapter<ShellState> = {
  manifest: {
    contract: "adapter/1",
    id: "shell",
    version: "0.1.0",
    vendor: "Fairlead",
    label: "Shell",
    models: [],
    capabilities: ["streaming", "tools", "interrupt", "queue"],
    messages: "command",
    modes: ["default"],
    settings: Settings,
    environment: [],
  },

  probe(host) {
    const probe = { program: "bash", auth: "none" } as const;
    return probeProgram(host, {
      ...probe,
      missingMessage: "bash is not installed: install it with your system's package manager.",
    });
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    return {
      processLifetime: "turn",
      observesEmptyLines: true,
      protocol: "command",
      dialect: createShellDialect({
        launch: (command) => ({
          program: opening.probeResult.program ?? "bash",
          args: shellArguments(command),
          env: settings.env,
          cwd: opening.workspace,
          stdin: "none",
        }),
        explainForbidden: (command) => explainForbidden(settings, command),
        timeout: settings.timeout,
        successCodes: settings.successExitCodes,
      }),
    };
  },
};

/** Programs that run a file of commands, or their input, which `parseShell` does not read. */
const runsFiles = new Set(["source", ".", "sh", "bash", "dash", "zsh", "ksh", "su"]);

/**
 * Explains why a command may not run. A list of names is no security boundary. Commands that cannot be judged are
 * refused, because a shell session has no approvals.
 */
function explainForbidden({ allowedCommands, deniedCommands }: Settings, command: string): string | null {
  if (allowedCommands === undefined && deniedCommands.length === 0) return null;
  const { commands, doubts } = parseShell(command);
  const names = commands.flatMap(({ program, isFunction }) => (program === null || isFunction ? [] : [program]));
  const deniedName = names.find((name) => deniedCommands.includes(name));
  if (deniedName !== undefined) return `${deniedName} is one of the denied commands.`;
  const unlistedName = names.find((name) => allowedCommands !== undefined && !allowedCommands.includes(name));
  if (unlistedName !== undefined) return `${unlistedName} is not one of the allowed commands.`;
  const runner = names.find((name) => runsFiles.has(name));
  const uncertainty = doubts[0]?.reason ?? (runner === undefined ? null : `${runner} runs other commands`);
  return uncertainty === null ? null : `The commands that this would run are unknown: ${uncertainty}.`;
}
