import { Option, type Command } from "commander";
import { type CodeRequest, codeLifetimeMs } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { findDaemon, findOrStartDaemon, openDaemonTransport, type DaemonInfo } from "@fairlead/daemon";
import type { CliContext } from "../../../cli-context.ts";
import { cliExitCodes } from "../../../exit-codes.ts";
import { refuseRemote } from "../../../remote/refuse-remote.ts";
import { UsageError } from "../../../usage-error.ts";
import type { CommandRunner } from "../../command-runner.ts";
import { findBrowser, openBrowser } from "./browser.ts";
import { findFreePort } from "./find-free-port.ts";

interface OpenOptions {
  readonly phone?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

const hour = 60 * 60 * 1000;

/** What the page in a browser of this machine may do: everything, for a working day. */
const browserAccess: CodeRequest = {
  label: "browser",
  scopes: ["read", "drive", "approve", "admin"],
  tokenLifetimeMs: 12 * hour,
  persistent: false,
};
/** What a phone may do, which can be lost: read and answer. */
const phoneAccess: CodeRequest = {
  label: "phone",
  scopes: ["read", "approve"],
  tokenLifetimeMs: 30 * 24 * hour,
  persistent: true,
};

export function addOpen(program: Command, run: CommandRunner): void {
  program
    .command("open")
    .summary("Open the web page in a browser.")
    .description(
      "Open the web page in a browser, with access for 12 hours. Starts the daemon if none runs. The address has a code that works once, for 60 seconds.",
    )
    .argument("[session]", "id or name of the session to show")
    .addOption(
      new Option("--phone", "print a QR code for a phone, which may read and answer for 30 days").conflicts("print"),
    )
    .option("--print", "print the address and open nothing")
    .option("--json", "print one JSON value and open nothing")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead open\n  fairlead open my-session\n  fairlead open --phone\n\nExamples that end the access of all pages, or of phones:\n  fairlead token browser --revoke\n  fairlead token phone --revoke",
    )
    .action((session: string | undefined, options: OpenOptions) => run((context) => open(context, session, options)));
}

async function open(context: CliContext, session: string | undefined, options: OpenOptions): Promise<number> {
  refuseRemote(context, "open");
  if (context.environment["FAIRLEAD_DAEMON"] === "off")
    throw new UsageError("The web page needs the daemon, and FAIRLEAD_DAEMON=off turns it off.", "fairlead open");
  const { screen } = context;
  const { phone = false, print = false, json = false } = options;
  const before = await findDaemon(context.home);
  const origin = phone ? findPhoneOrigin(before) : null;
  const daemon = await findOrStartDaemon(context, { listenIfNone: `127.0.0.1:${await findFreePort()}` });
  const restarted = before !== null && before.pid !== daemon.pid;
  if (restarted) screen.warn(`The daemon was restarted to listen on ${daemon.url}. Sessions kept running.`);
  const fairlead = new RemoteFairlead(await openDaemonTransport(context));
  const path = session === undefined ? "/" : `/s/${(await fairlead.session(session)).session}`;
  const { code, expiresAt } = await fairlead.createCode(phone ? phoneAccess : browserAccess);
  // In the fragment, which browsers send to no server.
  const url = `${origin ?? daemon.url}${path}#code=${code}`;
  if (json) {
    screen.json({ url, expiresAt });
    return cliExitCodes.success;
  }
  const limit = `It works once, for ${codeLifetimeMs / 1000} seconds.`;
  if (phone) {
    const { renderQrCode } = await import("./render-qr-code.ts");
    for (const row of renderQrCode(url, { isColored: screen.isTerminal })) screen.line(row);
    screen.line(url);
    screen.printHint(`Scan the code, or type the address. ${limit}`);
    return cliExitCodes.success;
  }
  const browser = print ? null : findBrowser(context.environment);
  if (browser !== null && (await openBrowser(browser, url))) {
    screen.line(`Opened ${daemon.url}${path} in the browser.`);
    return cliExitCodes.success;
  }
  screen.line(url);
  screen.printHint(`Open this address in a browser of this machine. ${limit}`);
  return cliExitCodes.success;
}

/** Returns the origin at which a phone reaches the daemon. */
function findPhoneOrigin(daemon: DaemonInfo | null): string {
  const origin = daemon?.origins?.find((one) => one.startsWith("https:") && !isLoopbackUrl(one));
  if (origin !== undefined) return origin;
  throw new UsageError(
    "A phone cannot reach the daemon, which listens only on this machine. Let a tunnel or a reverse proxy with TLS lead to its port, and name the address of that.",
    "fairlead down && fairlead up --listen 127.0.0.1:4747 --origin https://agents.example",
  );
}

function isLoopbackUrl(origin: string): boolean {
  return /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(new URL(origin).hostname);
}
