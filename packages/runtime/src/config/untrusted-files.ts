import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  FairleadError,
  ignoresWorkspaceFiles,
  type Adapter,
  type Manifest,
  type Opening,
  type ProbeResult,
} from "@fairlead/contract";
import type { Environment } from "../host/child-environment.ts";

/**
 * Lists the files of an untrusted workspace that configure the agent. Returns nothing for a trusted workspace, and for an
 * agent that decides itself which files to trust. Throws `not-allowed` if the agent would run a file of the workspace,
 * or if the installed version cannot ignore the files.
 */
export function findUntrustedFiles(
  manifest: Manifest,
  probeResult: Pick<ProbeResult, "flags" | "version">,
  workspace: string,
  trustsWorkspace: (workspace: string) => boolean,
): Pick<Opening, "untrustedFiles"> {
  const { label, workspaceFiles = [], workspacePrograms = [] } = manifest;
  if (workspaceFiles.length + workspacePrograms.length === 0 || trustsWorkspace(workspace)) return {};
  const program = listFolders(workspace)
    .flatMap((folder) => workspacePrograms.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  if (program !== undefined) throw untrusted(workspace, `${label} would run ${program}`);
  const untrustedFiles = workspaceFiles.filter((name) => existsSync(join(workspace, name)));
  if (untrustedFiles.length > 0 && !ignoresWorkspaceFiles(manifest, probeResult)) {
    throw untrusted(workspace, `this version of ${label} cannot ignore ${untrustedFiles.join(", ")} in it`);
  }
  return { untrustedFiles };
}

/**
 * Throws `not-allowed` if an untrusted workspace contains files through which the agent can be made to run something, and
 * which it does not ignore. Only for sessions without a sandbox: in one, such a program reaches no more than the agent. And
 * for sessions with MCP servers: an agent that decides itself which files to trust must trust the workspace to start them.
 */
export function assertNoUntrustedPrograms(
  { manifest, needs }: Pick<Adapter, "manifest" | "needs">,
  opening: Opening,
  environment: Environment,
  trustsWorkspace: (workspace: string) => boolean,
): void {
  const { workspace } = opening;
  const { label, workspaceFiles = [] } = manifest;
  const files = (needs?.(opening, environment).protects ?? [])
    .filter((file) => !workspaceFiles.some((ignored) => file === ignored || file.startsWith(`${ignored}/`)))
    .filter((file) => existsSync(join(workspace, file)));
  if (files.length === 0 || trustsWorkspace(workspace)) return;
  if (opening.mcpServers !== undefined)
    throw untrusted(workspace, `with MCP servers ${label} uses ${files.join(", ")} in it`);
  const problem = `${label} would run what ${files.join(", ")} names, without a sandbox`;
  throw untrusted(workspace, problem, "Start it in a sandbox: --sandbox bwrap. ");
}

function untrusted(workspace: string, problem: string, alternative = ""): FairleadError {
  const message = `The workspace ${workspace} is not trusted, and ${problem}.`;
  return new FairleadError(
    "not-allowed",
    `${message} ${alternative}If you trust it, type: fairlead trust ${workspace}`,
  );
}

/** Lists a folder and the folders above it, without the home directory, where a person's own configuration is. */
function listFolders(folder: string): string[] {
  const folders: string[] = [];
  for (let next = resolve(folder); ; next = dirname(next)) {
    if (next !== homedir()) folders.push(next);
    if (next === dirname(next)) return folders;
  }
}
