import { once } from "node:events";
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

export interface ShimCommandOptions {
  readonly port?: number;
  readonly host: string;
  readonly mock?: boolean;
  readonly workspace?: string;
  readonly agent?: string;
}

export function addShim(program: Command, run: Run): void {
  program
    .command("shim")
    .summary("be an adapter shim for a backend")
    .description("Opens one agent over HTTP and a WebSocket, in the protocol of adapter shims. See docs/shim.md.")
    .option("-p, --port <number>", "where to listen; 0 for any port (default: AGENT_PORT or 9100)", portNumber)
    .option("--host <address>", "the address to listen at; any but loopback lets others drive the agent", "127.0.0.1")
    .option("--mock", "a scripted agent instead of a real one")
    .option("-w, --workspace <folder>", "where it works (default: this folder)")
    .option("-a, --agent <agent>", "which agent (default: what fairlead.yaml or FAIRLEAD_AGENT says)")
    .addHelpText("after", "\nExamples:\n  fairlead shim --mock\n  fairlead shim --port 9101 --workspace ~/project")
    .action((options: ShimCommandOptions) => run((surroundings) => shim(surroundings, options)));
}

/** Listens until it is told to end. The agent is left running: a new shim can take it up from what was written down. */
async function shim(surroundings: Surroundings, options: ShimCommandOptions): Promise<number> {
  const { screen, folder, environment } = surroundings;
  const { host, agent, mock = false } = options;
  const workspace = resolve(folder, options.workspace ?? ".");
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) {
    throw new WrongUse(`There is no folder ${workspace}.`, `mkdir -p ${workspace}`);
  }
  const { AGENT_PORT: chosen = "" } = environment;
  if (!isPort(chosen || usual)) throw new WrongUse(`AGENT_PORT is "${chosen}". ${portRule}`);
  const { port = Number(chosen || usual) } = options;
  // Loaded here, since it brings the whole server and other commands need none of it.
  const { isLoopback, serveShim } = await import("@fairlead/server");
  const leaving = new AbortController();
  const told = Promise.race([once(process, "SIGINT", leaving), once(process, "SIGTERM", leaving)]);
  await using fairlead = await openFairlead(surroundings);
  await using service = await serveShim({
    fairlead,
    port,
    host,
    workspace,
    mock,
    ...(agent !== undefined && { agent }),
    failed: (error) => screen.warn(`A request failed: ${String(error)}`),
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new WrongUse(`Somebody listens at port ${port} already.`, "fairlead shim --port 0");
  });
  if (!isLoopback(host)) screen.warn(`Whoever reaches ${service.url} drives the agent: the protocol knows no tokens.`);
  screen.line(`The shim listens at ${service.url}.`);
  await told;
  leaving.abort();
  return exitCodes.done;
}

const usual = "9100";
const portRule = "A port is a whole number up to 65535.";

function portNumber(typed: string): number {
  if (!isPort(typed)) throw new InvalidArgumentError(portRule);
  return Number(typed);
}

function isPort(typed: string): boolean {
  return /^\d{1,5}$/.test(typed) && Number(typed) <= 65_535;
}
