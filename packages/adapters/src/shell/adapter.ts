import type { Adapter } from "@fairlead/contract";
import { commandNames, probeProgram } from "@fairlead/kit";
import { z } from "zod";
import { dialectOf, type State } from "./dialect.ts";
import { shellArguments } from "./wire.ts";

const Names = z.array(z.string().regex(/^[^\s/]+$/, "a command's bare name"));

const Settings = z.strictObject({
  /** How long a command may take, in milliseconds. */
  timeout: z.int().positive().default(30_000),
  /** The only commands that may run; every command may when this is not set. */
  allowedCommands: Names.optional(),
  /** Commands that may not run, whatever is allowed. */
  deniedCommands: Names.default([]),
  successExitCodes: z.array(z.int().min(0).max(255)).min(1).default([0]),
  /** Variables to set for every command. They are written to the spool: no secrets. */
  env: z.record(z.string(), z.string()).default({}),
});
type Settings = z.infer<typeof Settings>;

/** A shell as an agent: a message is a command, a turn is its run. */
export const shell: Adapter<State> = {
  manifest: {
    contract: "adapter/1",
    id: "shell",
    version: "0.1.0",
    vendor: "Fairlead",
    label: "Shell",
    models: [],
    capabilities: ["streaming", "tools", "interrupt", "queue"],
    modes: ["default"],
    settings: Settings,
    environment: [],
  },

  probe(host) {
    const line = { program: "bash", auth: "none" } as const;
    return probeProgram(host, { ...line, missing: "There is no bash here: install it with your system's packages." });
  },

  open(opening) {
    const settings = Settings.parse(opening.settings);
    return {
      life: "turn",
      protocol: "command",
      dialect: dialectOf({
        launch: (command) => ({
          program: opening.finding.program ?? "bash",
          args: shellArguments(command),
          env: settings.env,
          cwd: opening.workspace,
          stdin: "none",
        }),
        forbids: (command) => forbids(settings, command),
        timeout: settings.timeout,
        successCodes: settings.successExitCodes,
      }),
    };
  },
};

/** A list of names is a courtesy and no boundary; but what it cannot judge it refuses, since there is nobody to ask. */
function forbids({ allowedCommands, deniedCommands }: Settings, command: string): string | null {
  if (allowedCommands === undefined && deniedCommands.length === 0) return null;
  const { names, doubt } = commandNames(command);
  const denied = names.find((name) => deniedCommands.includes(name));
  if (denied !== undefined) return `${denied} is one of the denied commands.`;
  const stranger = names.find((name) => allowedCommands !== undefined && !allowedCommands.includes(name));
  if (stranger !== undefined) return `${stranger} is not one of the allowed commands.`;
  return doubt === null ? null : `It cannot be told what this would run: ${doubt}.`;
}
