import type { Command } from "commander";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { portOf } from "../daemon/port-of.ts";
import { reachDaemon } from "../daemon/reach-daemon.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";
import { upService } from "./up-service.ts";

export interface UpOptions {
  readonly foreground?: boolean;
  readonly listen?: string;
  readonly install?: boolean;
  readonly uninstall?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

export function addUp(program: Command, run: Run): void {
  program
    .command("up")
    .summary("start the daemon")
    .description(
      "Starts the daemon, which drives all sessions. Every command that needs it starts it by itself; this is for those who want it elsewhere, or otherwise.",
    )
    .option("--foreground", "be the daemon, here, until Ctrl-C; its log comes here too")
    .option("--listen <host:port>", "also at a port of 127.0.0.1 (0 for any), for callers with a token")
    .option("--install", "have the system start it with your sign-in; says what to type")
    .option("--uninstall", "have the system start it no longer")
    .option("--print", "show what --install would write, and write nothing")
    .option("--json", "one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead up\n  fairlead up --listen 127.0.0.1:4747")
    .action((options: UpOptions) => run((surroundings) => up(surroundings, options)));
}

async function up(surroundings: Surroundings, options: UpOptions): Promise<number> {
  const { screen, home } = surroundings;
  const { foreground, listen, install, uninstall, print, json } = options;
  if (listen !== undefined) portOf(listen); // refused here rather than in a log
  if (foreground) {
    const { runDaemon } = await import("../daemon/run-daemon.ts");
    await runDaemon(surroundings, listen ?? null);
    return exitCodes.done;
  }
  if (install || uninstall || print) return upService(surroundings, options);
  const account = await reachDaemon(surroundings, listen ?? null);
  if (listen !== undefined && account.listen !== listen) {
    const where = account.url === null ? "at its socket alone" : `at ${account.url}`;
    throw new WrongUse(
      `Fairlead is up already, and listens ${where}.`,
      `fairlead down && fairlead up --listen ${listen}`,
    );
  }
  const { variables: _, ...told } = account;
  if (json) screen.json(told);
  else {
    const { pid, version, url } = account;
    screen.line(`Fairlead ${version} is up (process ${pid})${url === null ? "" : `, also at ${url}`}.`);
    screen.aside(`Its log is ${daemonPlace(home).log}; \`fairlead down\` ends it, and no session.`);
  }
  return exitCodes.done;
}
