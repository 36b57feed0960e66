import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { FairleadError, type Manifest, type Opening } from "@fairlead/contract";

/**
 * Lists the files of an untrusted workspace that configure the agent. Returns nothing for a trusted workspace, and for an
 * agent that decides itself which files to trust. Throws `not-allowed` if the agent would run a file of the workspace.
 */
export function findUntrustedFiles(
  { label, workspaceFiles = [], workspacePrograms = [] }: Manifest,
  workspace: string,
  trustsWorkspace: (workspace: string) => boolean,
): Pick<Opening, "untrustedFiles"> {
  if (workspaceFiles.length + workspacePrograms.length === 0 || trustsWorkspace(workspace)) return {};
  const program = listFolders(workspace)
    .flatMap((folder) => workspacePrograms.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  if (program !== undefined) {
    const problem = `The workspace ${workspace} is not trusted, and ${label} would run ${program}.`;
    throw new FairleadError("not-allowed", `${problem} If you trust it, type: fairlead trust ${workspace}`);
  }
  return { untrustedFiles: workspaceFiles.filter((name) => existsSync(join(workspace, name))) };
}

/** Lists a folder and the folders above it, without the home directory, where a person's own configuration is. */
function listFolders(folder: string): string[] {
  const folders: string[] = [];
  for (let next = resolve(folder); ; next = dirname(next)) {
    if (next !== homedir()) folders.push(next);
    if (next === dirname(next)) return folders;
  }
}
