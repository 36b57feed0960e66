import { resolve } from "node:path";
import { Argument, Option, type Command } from "commander";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { findLoginFiles } from "./find-login-files.ts";
import { parsePool, prepareFleetEngine, requireFleetFile } from "./open-fleet-engine.ts";
import { metricsExample, parseAddress } from "./parse-address.ts";

const actions = ["join"] as const;
/** `stay`: agents continue, and the next command drives them. `drain`: sessions move to other hosts of the pool. */
const stopChoices = ["stay", "drain"] as const;

export interface HostCommandOptions {
  readonly fleet?: string;
  readonly pool?: string;
  readonly max?: string;
  readonly workspaces?: string;
  readonly metrics?: string;
  readonly absence?: string;
  readonly onStop?: (typeof stopChoices)[number];
}

export function addHost(program: Command, run: CommandRunner): void {
  program
    .command("host")
    .summary("Run this machine as a host of a fleet.")
    .description(
      "Run this machine as a host of a fleet, in the foreground: it takes sessions from a pool and drives them. Agents continue when the command ends, and the next one drives them again.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(actions))
    .option("--fleet <file>", "file that names the servers of the fleet")
    .option("--pool <name>", "pool to take sessions from (default: default)")
    .option("--max <n>", "number of sessions to drive at the same time (default: 20)")
    .option("--workspaces <folder>", "folder for clones of repositories, the same on all hosts of the pool")
    .option("--metrics <host:port>", "address of loopback for metrics and probes (default: none)")
    .option("--absence <seconds>", "time for which agents continue when the command ends (default: 60)")
    .addOption(
      new Option("--on-stop <what>", "what becomes of the sessions when the command gets a signal")
        .choices(stopChoices)
        .default("stay"),
    )
    .addHelpText("after", help)
    .action((_action: (typeof actions)[number], options: HostCommandOptions) =>
      run((context) => joinFleet(context, options)),
    );
}

async function joinFleet(
  context: CliContext,
  { fleet, pool = "default", max = "20", workspaces, metrics, absence = "60", onStop }: HostCommandOptions,
): Promise<number> {
  const command = "host join";
  const file = requireFleetFile(fleet, command);
  const count = Number(max);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new UsageError(`--max is not a whole number from 1: ${max}`, `fairlead ${command} --fleet ${file} --max 20`);
  const { screen, home, environment } = context;
  const { runHost } = await import("@fairlead/daemon/fleet");
  const openEngine = await prepareFleetEngine(context, file, { checksTokens: false });
  await runHost({
    context: { home, environment },
    openEngine,
    loginFiles: await findLoginFiles(context, file),
    pool: parsePool(pool, command),
    max: count,
    absence: parseAbsence(absence, command) * 1000,
    drains: onStop === "drain",
    ...(metrics !== undefined && { metricsAddress: parseAddress("--metrics", metrics, metricsExample) }),
    ...(workspaces !== undefined && { workspacesFolder: resolve(context.folder, workspaces) }),
    onReady: (host) => screen.message(`Host ${host} takes up to ${count} sessions from the pool ${pool}.`),
  });
  return cliExitCodes.success;
}

/** Keepers close the input of agents that no process has driven for 15 minutes. */
const maxAbsence = 600;

/** Parses the seconds of an absence. */
function parseAbsence(text: string, command: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= maxAbsence) return seconds;
  const reason = `--absence is not a whole number of seconds from 0 to ${maxAbsence}: ${text}`;
  throw new UsageError(reason, `fairlead ${command} --fleet fleet.yaml --absence 60`);
}

const help = `
The data directory (FAIRLEAD_HOME) has the sessions of the
host. It is for one host, and not for a daemon beside it.

When the command ends, its agents continue for --absence
seconds, and no other host takes them. With 0, they end
within 18 seconds and other hosts take the sessions, unless
the command is back before.

With --on-stop drain, a signal first lets all turns end and
moves the sessions. A second signal ends that: what has not
moved stays, as above. A third one ends the command at once.

Example:
  fairlead host join --fleet fleet.yaml --max 20`;
