import { realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { sanitizeText } from "@fairlead/api";
import type { WorkspaceConfig, WorkspaceFileContent } from "@fairlead/runtime";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { quoteShellWord } from "../../shell/generate-completion.ts";
import { table } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { refuseRemote } from "../../remote/refuse-remote.ts";
import { TrustedFiles } from "@fairlead/daemon";
import { NotFoundError } from "../../not-found-error.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

interface TrustOptions {
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

export function addTrust(program: Command, run: CommandRunner): void {
  program
    .command("trust")
    .summary("Let a workspace configure agents.")
    .description(
      "Trust a workspace and the folders in it: agents that start there use the hooks, tool servers, settings and instructions that it contains, which can run programs. Also trust the current content of its fairlead.yaml, and print it. An untrusted fairlead.yaml may only set the agent, the model, maxTurns and a mode that asks for approval. The modes full-auto and dangerously-skip-permissions are never taken from the file: type --mode each time. Trust the file again after each change.",
    )
    .argument("[folder]", "workspace (default: the current folder)")
    .option("--list", "list the trusted folders and files")
    .option("--remove", "stop trusting the workspace and its file")
    .option("--json", "print one JSON value per line")
    .addHelpText("after", "\nExamples:\n  fairlead trust\n  fairlead trust ~/project --remove\n  fairlead trust --list")
    .action((folder: string | undefined, options: TrustOptions) =>
      run((context) => trust(context, folder ?? ".", options)),
    );
}

async function trust(context: CliContext, folderArgument: string, options: TrustOptions): Promise<number> {
  refuseRemote(context, "trust");
  const { screen, home } = context;
  const folder = resolve(context.folder, folderArgument);
  home.create();
  const trustedFiles = new TrustedFiles(home);
  if (options.list) return listTrusted(context, trustedFiles, options);
  if (options.remove) return await removeTrusted(context, trustedFiles, folder, options);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`The folder ${folder} does not exist.`);
  if (!stats.isDirectory())
    throw new UsageError(
      `${folder} is a file. Trust the folder that contains it.`,
      `fairlead trust ${quoteShellWord(dirname(folder))}`,
    );
  const workspaceFile = await readWorkspaceFile(folder);
  const trustedFolder = await trustedFiles.trustFolder(folder);
  if (options.json) screen.json(trustedFolder);
  else {
    screen.line(`Trusted: ${sanitizeText(trustedFolder.path)}`);
    screen.printHint("Agents that start here use the hooks, tool servers and instructions in it.");
  }
  if (workspaceFile === null) return cliExitCodes.success;
  const { file, config } = workspaceFile;
  const trustedFile = await trustedFiles.trust(file);
  if (options.json) screen.json(trustedFile);
  else {
    screen.line(`Trusted: ${sanitizeText(file.path)}`);
    for (const line of sanitizeText(file.text).trimEnd().split("\n")) screen.line(`  ${line}`);
    if (config.mode === "full-auto" || config.mode === "dangerously-skip-permissions") {
      screen.warn(
        `The mode ${config.mode} is never taken from the file: \`fairlead run\` fails here unless you type --mode. Remove it from the file, and trust the file again.`,
      );
    } else {
      screen.printHint(
        "The modes full-auto and dangerously-skip-permissions are never taken from the file: type --mode.",
      );
    }
  }
  return cliExitCodes.success;
}

function listTrusted({ screen }: CliContext, trustedFiles: TrustedFiles, { json }: TrustOptions): number {
  const files = trustedFiles.list();
  if (json) for (const one of files) screen.json(one);
  else if (files.length === 0) screen.message("No trusted workspaces. Trust one with: fairlead trust FOLDER");
  else {
    const rows = files.map((one) => [sanitizeText(one.path), one.sha256.slice(0, 12), one.trustedAt]);
    for (const line of table([["PATH", "SHA256", "TRUSTED"], ...rows])) screen.line(line);
  }
  return cliExitCodes.success;
}

async function removeTrusted(
  { screen }: CliContext,
  trustedFiles: TrustedFiles,
  folder: string,
  { json }: TrustOptions,
): Promise<number> {
  const { workspaceFileName } = await loadRuntime();
  const workspace = realFolder(folder);
  const results: { readonly path: string; readonly removed: boolean }[] = [];
  for (const path of [workspace, join(workspace, workspaceFileName)])
    results.push({ path, removed: await trustedFiles.remove(path) });
  if (!results.some(({ removed }) => removed))
    throw new NotFoundError(`Not trusted: ${workspace}`, "fairlead trust --list");
  for (const result of results) {
    if (json) screen.json(result);
    else if (result.removed) screen.line(`No longer trusted: ${sanitizeText(result.path)}`);
  }
  return cliExitCodes.success;
}

/**
 * Reads the file once: the content that is printed is the content that is trusted, also if the file changes meanwhile.
 * Returns null if there is none.
 */
async function readWorkspaceFile(
  folder: string,
): Promise<{ readonly file: WorkspaceFileContent; readonly config: WorkspaceConfig } | null> {
  const { findWorkspaceFile, parseWorkspaceConfig, workspaceFileName } = await loadRuntime();
  const path = join(folder, workspaceFileName);
  try {
    const file = findWorkspaceFile(folder);
    // A file that cannot be used is not trusted: a key that it misspells would be trusted with any later meaning.
    return file === null ? null : { file, config: parseWorkspaceConfig(file.text) };
  } catch (error) {
    throw new UsageError(`${path} cannot be trusted: ${(error as Error).message}`);
  }
}

/** Resolves links. A folder that no longer exists keeps its path, so that its file can still be removed. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Loads the runtime only when this command needs it: it is large, and every command loads this file. */
function loadRuntime(): Promise<typeof import("@fairlead/runtime")> {
  return import("@fairlead/runtime");
}
