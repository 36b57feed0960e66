import type { Command } from "commander";
import { findOrStartDaemon } from "@fairlead/daemon";
import { collectValues } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import type { CliContext } from "../../cli-context.ts";
import { refuseRemote } from "../../remote/refuse-remote.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";
import { manageSystemService } from "./manage-system-service.ts";

export interface UpOptions {
  readonly foreground?: boolean;
  readonly listen?: string;
  readonly origin?: readonly string[];
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

export function addUp(program: Command, run: CommandRunner): void {
  program
    .command("up")
    .summary("Start the daemon.")
    .description(
      "Start the daemon, which runs all sessions. Other commands start it automatically; use this to run it in the foreground, on a TCP port, or as a service.",
    )
    .option("--foreground", "run the daemon in this terminal until Ctrl-C, with its log")
    .option("--listen <host:port>", "also listen on 127.0.0.1 (port 0: any), for clients with a token")
    .option(
      "--origin <url>",
      "also accept this origin at the port, of a tunnel or proxy in front of it (repeatable)",
      collectValues,
    )
    .option("--install", "install a service that starts the daemon at login")
    .option("--uninstall", "remove the service")
    .option("--print", "print the service file and write nothing")
    .option("--json", "print one JSON value")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead up\n  fairlead up --listen 127.0.0.1:4747\n  fairlead up --listen 127.0.0.1:4747 \\\n    --origin https://agents.example",
    )
    .action((options: UpOptions) => run((context) => up(context, options)));
}

async function up(context: CliContext, options: UpOptions): Promise<number> {
  refuseRemote(context, "up");
  const { screen, home } = context;
  const { foreground, listen, origin: origins, install, uninstall, print, json } = options;
  if (listen !== undefined) parseListenPort(listen); // reject it here: a daemon would only log it
  if (origins !== undefined) await checkOrigins(origins, listen);
  if (foreground) {
    const { runDaemon } = await import("@fairlead/daemon/run");
    return await runDaemon(context, { listen: listen ?? null, origins: origins ?? [] });
  }
  if (install || uninstall || print) return manageSystemService(context, options);
  const daemonInfo = await findOrStartDaemon(context, {
    ...(listen !== undefined && { listen }),
    ...(origins !== undefined && { origins }),
  });
  if (listen !== undefined && daemonInfo.listen !== listen) {
    const where = daemonInfo.url === null ? "only on its socket" : `on ${daemonInfo.url}`;
    throw new UsageError(
      `The daemon is already running and listens ${where}.`,
      `fairlead down && fairlead up --listen ${listen}`,
    );
  }
  const missing = (origins ?? []).find((origin) => !daemonInfo.origins?.includes(origin));
  if (missing !== undefined)
    throw new UsageError(
      `The daemon is already running and does not accept the origin ${missing}.`,
      `fairlead down && ${[`fairlead up --listen ${listen}`, ...(origins ?? [])].join(" --origin ")}`,
    );
  const { variables: _, owner: _owner, ...publicInfo } = daemonInfo;
  if (json) screen.json(publicInfo);
  else {
    const { pid, version, url } = daemonInfo;
    screen.message(`Fairlead ${version} is running (process ${pid})${url === null ? "" : `, also on ${url}`}.`);
    screen.printHint(`Log: ${home.daemonLogFile}\nStop the daemon, and keep its sessions, with: fairlead down`);
  }
  return cliExitCodes.success;
}

/** Rejects an origin that no browser sends. Only the port can be reached through a tunnel or a proxy. */
async function checkOrigins(origins: readonly string[], listen: string | undefined): Promise<void> {
  if (listen === undefined)
    throw new UsageError(
      "--origin is for the TCP port of the daemon, and --listen is missing.",
      `fairlead up --listen 127.0.0.1:4747 --origin ${origins[0]}`,
    );
  const { checkOrigin } = await import("@fairlead/server");
  for (const origin of origins) checkOrigin(origin);
}

/** Returns the port of `host:port` or of a port alone. Rejects other addresses than loopback: a tunnel serves those. */
function parseListenPort(listen: string): number {
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(listen) ?? [];
  if (port === "" || Number(port) > 65_535) {
    throw new UsageError(`"${listen}" is not of the form HOST:PORT.`, "fairlead up --listen 127.0.0.1:4747");
  }
  if (host !== "127.0.0.1" && host !== "localhost") {
    throw new UsageError(
      `The daemon cannot listen on ${host}, only on 127.0.0.1. For access from other machines, use a tunnel such as \`ssh -L\`.`,
      `fairlead up --listen 127.0.0.1:${port}`,
    );
  }
  return Number(port);
}
