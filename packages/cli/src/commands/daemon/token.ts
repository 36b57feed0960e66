import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError, Option, type Command } from "commander";
import type { TokenStore } from "@fairlead/engine";
import { parseDuration } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { table } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { refuseRemote } from "../../remote/refuse-remote.ts";
import { NotFoundError } from "../../not-found-error.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

/** The scopes that a token may have. */
const grantableScopes = ["read", "drive", "approve", "admin"] as const;
type GrantableScope = (typeof grantableScopes)[number];

const maxExpiryMs = 3650 * 24 * 3_600_000;

interface TokenOptions {
  readonly scope?: readonly GrantableScope[];
  readonly workspace?: readonly string[];
  readonly expires?: number;
  readonly revoke?: boolean;
  readonly fleet?: string;
  readonly json?: boolean;
}

export function addToken(program: Command, run: CommandRunner): void {
  program
    .command("token")
    .summary("Create, list or revoke access tokens.")
    .description(
      "Create a token for a program that connects over TCP (`fairlead up --listen`). The token is printed once and stored as a digest. Without a label, list all tokens.",
    )
    .argument("[label]", "name of the token, for example the program that uses it")
    .addOption(new Option("-s, --scope <scopes...>", "what the token permits, see below").choices(grantableScopes))
    .option("-w, --workspace <folders...>", "limit the token to sessions in these folders (default: all folders)")
    .option("--expires <duration>", "when it stops working, such as 12h or 30d (default: never)", parseExpiry)
    .option("--revoke", "revoke every token with this label")
    .option("--fleet <file>", "for the gateways of a fleet, instead of the daemon of this machine")
    .option("--json", "print one JSON value per line")
    .addHelpText("after", help)
    .action((label: string | undefined, options: TokenOptions) => run((context) => token(context, label, options)));
}

async function token(context: CliContext, label: string | undefined, options: TokenOptions): Promise<number> {
  // The tokens of a fleet are on its servers, and not on this machine.
  if (options.fleet === undefined) refuseRemote(context, "token");
  const { screen, folder } = context;
  if (options.fleet !== undefined && options.workspace !== undefined) {
    throw new UsageError(
      "A gateway cannot check the folders of hosts, so it refuses tokens that are limited to workspaces. Leave out --workspace.",
    );
  }
  await using opened = await openTokenStore(context, options.fleet);
  const { AccessTokens } = await import("@fairlead/server");
  const tokens = new AccessTokens(opened.store);
  if (label === undefined) {
    const issuedTokens = tokens.list().map(({ label, scopes, issuedAt, expiresAt, workspaces }) => {
      return { label, scopes, issuedAt, ...(expiresAt && { expiresAt }), ...(workspaces && { workspaces }) };
    });
    if (options.json) for (const one of issuedTokens) screen.json(one);
    else if (issuedTokens.length === 0) screen.message("No tokens. Create one with: fairlead token LABEL --scope read");
    else {
      const rows = issuedTokens.map(({ workspaces = ["all"], expiresAt = "never", ...one }) => {
        const hasExpired = Date.parse(expiresAt) <= Date.now();
        const expires = hasExpired ? `${expiresAt} (expired)` : expiresAt;
        return [one.label, one.scopes.join(" "), one.issuedAt, expires, workspaces.join(" ")];
      });
      const head = ["LABEL", "SCOPES", "CREATED", "EXPIRES", "WORKSPACES"];
      for (const line of table([head, ...rows])) screen.line(line);
    }
    return cliExitCodes.success;
  }
  if (options.revoke) {
    const revoked = await tokens.revoke(label);
    if (revoked === 0) throw new NotFoundError(`There is no token "${label}".`, "fairlead token");
    if (options.json) screen.json({ label, revoked });
    else screen.line(`Revoked: ${label}`);
    return cliExitCodes.success;
  }
  if (options.scope === undefined)
    throw new UsageError("The option --scope is missing.", `fairlead token ${label} --scope read`);
  const workspaces = options.workspace?.map((path) => resolveFolder(folder, path));
  const grant = { label, scopes: [...options.scope], ...(workspaces && { workspaces }) };
  const { expires: expiresInMs } = options;
  const newToken = await tokens.issue({ ...grant, ...(expiresInMs !== undefined && { expiresInMs }) });
  const expiresAt = tokens.find(newToken)?.expiresAt;
  if (options.json) screen.json({ ...grant, ...(expiresAt && { expiresAt }), token: newToken });
  else screen.line(newToken);
  return cliExitCodes.success;
}

/** Opens the tokens of this machine's daemon, or of a fleet. */
async function openTokenStore(
  context: CliContext,
  fleet: string | undefined,
): Promise<AsyncDisposable & { readonly store: TokenStore }> {
  if (fleet === undefined) {
    const { FileTokenStore } = await import("@fairlead/engine");
    context.home.create();
    return { store: new FileTokenStore(context.home.tokensFile), [Symbol.asyncDispose]: async () => {} };
  }
  const { prepareFleetEngine } = await import("../fleet/open-fleet-engine.ts");
  const open = await prepareFleetEngine(context, fleet);
  const engine = await open("token");
  return { store: engine.tokens, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

/** Parses how long a token works. Above ten years, a date would have to be checked for what a date can be. */
function parseExpiry(text: string): number {
  const duration = parseDuration(text);
  if (duration < 1000 || duration > maxExpiryMs)
    throw new InvalidArgumentError(
      "Expected a duration from 1s to 3650d. Leave it out for a token that does not expire.",
    );
  return duration;
}

function resolveFolder(base: string, path: string): string {
  const folder = resolve(base, path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return realpathSync(folder);
  throw new UsageError(`There is no folder ${folder}.`, "fairlead token LABEL --scope drive --workspace .");
}

const help = `
Scopes:
  read     List and follow sessions.
  drive    Start, message, pause, resume and stop sessions.
  approve  Answer decisions, and start sessions in modes
           that skip approvals.
  admin    Take over and delete sessions, stop the daemon.

Examples:
  fairlead token dashboard --scope read
  fairlead token bot --scope read drive --workspace ~/work
  fairlead token visitor --scope read --expires 30d
  fairlead token bot --revoke`;
