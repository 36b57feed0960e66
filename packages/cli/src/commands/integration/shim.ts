import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { PermissionMode } from "@fairlead/contract";
import type { ServeShimOptions } from "@fairlead/server";
import { InvalidArgumentError, Option, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

export interface ShimCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly socket?: string;
  readonly mock?: boolean;
  readonly workspace?: string;
  readonly agent?: string;
  readonly allowModes?: readonly PermissionMode[];
}

export function addShim(program: Command, run: CommandRunner): void {
  program
    .command("shim")
    .summary("Serve one agent to a backend as an adapter shim.")
    .description("Serve one agent over HTTP and a WebSocket in the protocol of adapter shims. See docs/build/shim.md.")
    .option("-p, --port <number>", "port to listen on, 0 for any (default: AGENT_PORT or 9100)", parsePort)
    .option("--host <address>", "address to listen on; there is no TLS (default: 127.0.0.1)")
    .option("--socket <path>", "listen at a Unix socket, without a token, instead of a port")
    .option("--mock", "use a scripted agent instead of a real one")
    .option("-w, --workspace <folder>", "folder to work in (default: the current folder)")
    .option("-a, --agent <agent>", "agent to run (default: from fairlead.yaml or FAIRLEAD_AGENT)")
    .addOption(
      new Option("--allow-modes <modes...>", "modes without approvals that a brief may select").choices(
        PermissionMode.options,
      ),
    )
    .addHelpText("after", help)
    .action((options: ShimCommandOptions) => run((context) => shim(context, options)));
}

/** Listens until a signal. The agent keeps running: a new shim can continue its session from the journal. */
async function shim(context: CliContext, options: ShimCommandOptions): Promise<number> {
  const { screen } = context;
  const { agent, mock = false, allowModes: allowedModes = [] } = options;
  const workspace = resolveFolder(context, options.workspace);
  if (findRemoteUrl(context) === null && !statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`The folder ${workspace} does not exist.`, `mkdir -p ${workspace}`);
  }
  const { address, isTokenNew } = readAddress(options, context);
  // Loaded here: it brings the whole server, and other commands do not need it.
  const { isLoopback, serveShim } = await import("@fairlead/server");
  const shutdown = new AbortController();
  const stopSignal = Promise.race([once(process, "SIGINT", shutdown), once(process, "SIGTERM", shutdown)]);
  await using fairlead = await openFairlead(context);
  await using service = await serveShim({
    fairlead,
    address,
    workspace,
    mock,
    allowedModes,
    ...(agent !== undefined && { agent }),
    onError: (error) => screen.warn(`A request failed: ${String(error)}`),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE" || !("port" in address)) throw error;
    throw new UsageError(`Port ${address.port} is already in use.`, "fairlead shim --port 0");
  });
  if ("port" in address && !isLoopback(address.host))
    screen.warn(`The token and all messages cross the network to ${service.url} unencrypted. Use a tunnel.`);
  screen.line(`The shim listens on ${service.url}.`);
  if (isTokenNew && "port" in address) screen.line(`Clients send: Authorization: Bearer ${address.token}`);
  await stopSignal;
  shutdown.abort();
  return cliExitCodes.success;
}

/** Decides where to listen, and which token clients need: that of the environment, or a new one. */
function readAddress(
  options: ShimCommandOptions,
  { environment, folder }: CliContext,
): { readonly address: ServeShimOptions["address"]; readonly isTokenNew: boolean } {
  const { AGENT_PORT: configuredPort = "", FAIRLEAD_SHIM_TOKEN: configuredToken = "" } = environment;
  // No child of this process gets the token, so that an agent cannot approve its own actions with it.
  delete environment["FAIRLEAD_SHIM_TOKEN"];
  if (options.socket !== undefined) {
    if (options.port !== undefined || options.host !== undefined)
      throw new UsageError("The option --socket excludes --port and --host.", "fairlead shim --socket run/shim.sock");
    return { address: { socket: resolve(folder, options.socket) }, isTokenNew: false };
  }
  if (!isPort(configuredPort || defaultPort)) throw new UsageError(`AGENT_PORT is "${configuredPort}". ${portRule}`);
  if (configuredToken !== "" && !/^[\x21-\x7e]{16,}$/.test(configuredToken))
    throw new UsageError("FAIRLEAD_SHIM_TOKEN must have at least 16 visible ASCII characters and no spaces.");
  const { host = "127.0.0.1", port = Number(configuredPort || defaultPort) } = options;
  const token = configuredToken || randomBytes(32).toString("base64url");
  return { address: { host, port, token }, isTokenNew: configuredToken === "" };
}

const help = `
Each request needs a token: FAIRLEAD_SHIM_TOKEN, or one that
the command prints. A brief may select the modes default and
plan, and those of --allow-modes.

Examples:
  fairlead shim --mock
  fairlead shim --port 9101 --workspace ~/project
  fairlead shim --socket run/shim.sock`;

const defaultPort = "9100";
const portRule = "Expected a port from 0 to 65535.";

function parsePort(value: string): number {
  if (!isPort(value)) throw new InvalidArgumentError(portRule);
  return Number(value);
}

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535;
}
