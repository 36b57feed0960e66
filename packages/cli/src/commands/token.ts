import { Home } from "@fairlead/runtime";
import { Option, type Command } from "commander";
import { daemonPlace } from "../daemon/daemon-place.ts";
import { exitCodes } from "../exit-codes.ts";
import { table } from "../render/table.ts";
import type { Surroundings } from "../surroundings.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

/** What people's programs may be given; agents have a scope of their own, and nobody hands that out here. */
const scopes = ["read", "drive", "approve", "admin"] as const;
type GivenScope = (typeof scopes)[number];

interface TokenOptions {
  readonly scope?: readonly GivenScope[];
  readonly revoke?: boolean;
  readonly json?: boolean;
}

export function addToken(program: Command, run: Run): void {
  program
    .command("token")
    .summary("let a program in, over TCP")
    .description(
      "Makes a token for a program that comes over TCP (`fairlead up --listen`). It is printed once and kept only as a digest. Without a label it lists those that were made.",
    )
    .argument("[label]", "what it is for")
    .addOption(new Option("-s, --scope <scopes...>", "what it may do").choices(scopes))
    .option("--revoke", "take back every token of this label")
    .option("--json", "one JSON value a line")
    .addHelpText("after", help)
    .action((label: string | undefined, options: TokenOptions) =>
      run((surroundings) => token(surroundings, label, options)),
    );
}

async function token(
  { home, screen }: Surroundings,
  label: string | undefined,
  options: TokenOptions,
): Promise<number> {
  const { Tokens } = await import("@fairlead/server");
  new Home(home).make();
  const tokens = new Tokens(daemonPlace(home).tokens);
  if (label === undefined) {
    const issued = tokens.list().map(({ label, scopes, issuedAt }) => ({ label, scopes, issuedAt }));
    if (options.json) for (const one of issued) screen.json(one);
    else if (issued.length === 0) screen.line("No token was made. `fairlead token LABEL --scope read` makes one.");
    else {
      const rows = issued.map((one) => [one.label, one.scopes.join(" "), one.issuedAt]);
      for (const line of table([["LABEL", "SCOPES", "SINCE"], ...rows])) screen.line(line);
    }
    return exitCodes.done;
  }
  if (options.revoke) {
    const revoked = tokens.revoke(label);
    if (options.json) screen.json({ label, revoked });
    else screen.line(revoked === 0 ? `There was no token "${label}".` : `"${label}" is let in no longer.`);
    return revoked === 0 ? exitCodes.notFound : exitCodes.done;
  }
  if (options.scope === undefined) throw new WrongUse("What may it do?", `fairlead token ${label} --scope read`);
  const made = tokens.issue({ label, scopes: [...options.scope] });
  if (options.json) screen.json({ label, scopes: options.scope, token: made });
  else screen.line(made);
  return exitCodes.done;
}

const help = `
Scopes:
  read      look at sessions, follow them
  drive     start, speak to, pause, resume and stop them
  approve   answer what agents ask, and start them in modes that ask nobody
  admin     lead in an agent's own terminal, forget sessions, end the daemon

Examples:
  fairlead token dashboard --scope read
  fairlead token bot --scope read drive
  fairlead token bot --revoke`;
