import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { findWorkspaceFile, Home, workspaceFile, type FoundFile } from "@fairlead/runtime";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { plain } from "../render/plain.ts";
import { table } from "../render/table.ts";
import type { Surroundings } from "../surroundings.ts";
import { TrustedFiles } from "../trust/trusted-files.ts";
import { WrongUse } from "../wrong-use.ts";
import type { Run } from "./run-command.ts";

interface TrustOptions {
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

export function addTrust(program: Command, run: Run): void {
  program
    .command("trust")
    .summary("let a workspace's fairlead.yaml set anything")
    .description(
      "Trusts the fairlead.yaml of a workspace as it stands, and prints it. Without that it may choose an agent, a model, maxTurns and a mode that asks, and no more: all else can run programs. Once it is changed, it has to be trusted again.",
    )
    .argument("[folder]", "the workspace (default: this folder)")
    .option("--list", "what is trusted")
    .option("--remove", "trust it no longer")
    .option("--json", "one JSON value a line")
    .addHelpText("after", "\nExamples:\n  fairlead trust\n  fairlead trust ~/project --remove\n  fairlead trust --list")
    .action((folder: string | undefined, options: TrustOptions) =>
      run((surroundings) => trust(surroundings, folder ?? ".", options)),
    );
}

async function trust(surroundings: Surroundings, typed: string, options: TrustOptions): Promise<number> {
  const { screen, home } = surroundings;
  const folder = resolve(surroundings.folder, typed);
  new Home(home).make();
  const trusted = new TrustedFiles(home);
  if (options.list) return list(surroundings, trusted, options);
  if (options.remove) return await remove(surroundings, trusted, folder, options);
  const file = find(folder);
  const one = await trusted.trust(file);
  if (options.json) screen.json(one);
  else {
    screen.line(`${plain(file.path)} is trusted as it stands:`);
    for (const line of plain(file.text).trimEnd().split("\n")) screen.line(`  ${line}`);
  }
  return exitCodes.done;
}

function list({ screen }: Surroundings, trusted: TrustedFiles, { json }: TrustOptions): number {
  const files = trusted.list();
  if (json) for (const one of files) screen.json(one);
  else if (files.length === 0) screen.line("Nothing is trusted. `fairlead trust FOLDER` trusts a workspace's file.");
  else {
    const rows = files.map((one) => [plain(one.path), one.sha256.slice(0, 12), one.trustedAt]);
    for (const line of table([["FILE", "SHA256", "SINCE"], ...rows])) screen.line(line);
  }
  return exitCodes.done;
}

async function remove(
  { screen }: Surroundings,
  trusted: TrustedFiles,
  folder: string,
  { json }: TrustOptions,
): Promise<number> {
  const path = join(realFolder(folder), workspaceFile);
  const removed = await trusted.remove(path);
  if (json) screen.json({ path, removed });
  else screen.line(`${plain(path)} ${removed ? "is trusted no longer" : "was not trusted"}.`);
  return removed ? exitCodes.done : exitCodes.notFound;
}

/** What is trusted is what is read here and shown, whatever becomes of the file meanwhile. */
function find(folder: string): FoundFile {
  const path = join(folder, workspaceFile);
  try {
    const found = findWorkspaceFile(folder);
    if (found !== null) return found;
  } catch (error) {
    throw new WrongUse(`${path} cannot be trusted: ${(error as Error).message}`);
  }
  throw new WrongUse(`There is no file ${path}.`);
}

/** One that is gone may still be trusted no longer. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
