import { once } from "node:events";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface ShimCommandOptions {
  readonly port?: number;
  readonly host: string;
  readonly mock?: boolean;
  readonly workspace?: string;
  readonly agent?: string;
}

export function addShim(program: Command, run: CommandRunner): void {
  program
    .command("shim")
    .summary("Serve one agent to a backend as an adapter shim.")
    .description("Serve one agent over HTTP and a WebSocket in the protocol of adapter shims. See docs/build/shim.md.")
    .option("-p, --port <number>", "port to listen on, 0 for any (default: AGENT_PORT or 9100)", parsePort)
    .option(
      "--host <address>",
      "address to listen on; other machines can control the agent unless it is loopback",
      "127.0.0.1",
    )
    .option("--mock", "use a scripted agent instead of a real one")
    .option("-w, --workspace <folder>", "folder to work in (default: the current folder)")
    .option("-a, --agent <agent>", "agent to run (default: from fairlead.yaml or FAIRLEAD_AGENT)")
    .addHelpText("after", "\nExamples:\n  fairlead shim --mock\n  fairlead shim --port 9101 --workspace ~/project")
    .action((options: ShimCommandOptions) => run((context) => shim(context, options)));
}

/** Listens until a signal. The agent keeps running: a new shim can continue its session from the journal. */
async function shim(context: CliContext, options: ShimCommandOptions): Promise<number> {
  const { screen, folder, environment } = context;
  const { host, agent, mock = false } = options;
  const workspace = resolve(folder, options.workspace ?? ".");
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`The folder ${workspace} does not exist.`, `mkdir -p ${workspace}`);
  }
  const { AGENT_PORT: configuredPort = "" } = environment;
  if (!isPort(configuredPort || defaultPort)) throw new UsageError(`AGENT_PORT is "${configuredPort}". ${portRule}`);
  const { port = Number(configuredPort || defaultPort) } = options;
  // Loaded here: it brings the whole server, and other commands do not need it.
  const { isLoopback, serveShim } = await import("@fairlead/server");
  const shutdown = new AbortController();
  const stopSignal = Promise.race([once(process, "SIGINT", shutdown), once(process, "SIGTERM", shutdown)]);
  await using fairlead = await openFairlead(context);
  await using service = await serveShim({
    fairlead,
    port,
    host,
    workspace,
    mock,
    ...(agent !== undefined && { agent }),
    onError: (error) => screen.warn(`A request failed: ${String(error)}`),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError(`Port ${port} is already in use.`, "fairlead shim --port 0");
  });
  if (!isLoopback(host))
    screen.warn(`Every client that reaches ${service.url} controls the agent: the protocol has no authentication.`);
  screen.line(`The shim listens on ${service.url}.`);
  await stopSignal;
  shutdown.abort();
  return cliExitCodes.success;
}

const defaultPort = "9100";
const portRule = "Expected a port from 0 to 65535.";

function parsePort(value: string): number {
  if (!isPort(value)) throw new InvalidArgumentError(portRule);
  return Number(value);
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
}
