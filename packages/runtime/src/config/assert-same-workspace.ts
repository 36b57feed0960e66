import { statSync } from "node:fs";
import { FairleadError, type Opening } from "@fairlead/contract";
import { resolveLinks } from "@fairlead/keeper";

/**
 * Throws `conflict` if an agent could not start where its session has worked so far: a disk is not mounted, for example.
 * Without this check the launch would fail, which ends the session.
 */
export function assertSameWorkspace(opening: Pick<Opening, "workspace" | "sandbox">): void {
  const problem = findWorkspaceProblem(opening);
  if (problem === null) return;
  throw new FairleadError("conflict", `${problem} Nothing was sent, and the session stays paused.`);
}

function findWorkspaceProblem({ workspace, sandbox }: Pick<Opening, "workspace" | "sandbox">): string | null {
  try {
    const stats = statSync(workspace, { throwIfNoEntry: false });
    if (stats === undefined) return `The workspace ${workspace} does not exist.`;
    if (!stats.isDirectory()) return `The workspace ${workspace} is not a folder.`;
  } catch (error) {
    return `The workspace ${workspace} cannot be read: ${(error as Error).message}.`;
  }
  // The paths of a sandbox are those of the folder that the session started in.
  const before = sandbox?.workspaceFolder;
  const now = resolveLinks(workspace);
  if (before === undefined || now === null || now === before) return null;
  return `The workspace ${workspace} now leads to ${now}. The session worked in ${before}.`;
}
