import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  FairleadError,
  ignoresWorkspaceFiles,
  type Manifest,
  type Opening,
  type ProbeResult,
} from "@fairlead/contract";

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

function untrusted(workspace: string, problem: string): FairleadError {
  const message = `The workspace ${workspace} is not trusted, and ${problem}.`;
  return new FairleadError("not-allowed", `${message} If you trust it, type: fairlead trust ${workspace}`);
}

/** Lists a folder and the folders above it, without the home directory, where a person's own configuration is. */
function listFolders(folder: string): string[] {
  const folders: string[] = [];
  for (let next = resolve(folder); ; next = dirname(next)) {
    if (next !== homedir()) folders.push(next);
    if (next === dirname(next)) return folders;
  }
}
