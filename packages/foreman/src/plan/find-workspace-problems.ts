import { existsSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { RunRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { type Home, inspectCopySource } from "@fairlead/runtime";
import { openForge } from "../forge/open-forge.ts";
import { findRemote, type PersonEnvironment, readHead } from "../forge/push-commit.ts";

/**
 * Finds what prevents a run in a folder, whatever agents there are: no repository, no commit, no remote, or no token. One
 * sentence each, with what to type. Changes nothing.
 */
export async function findWorkspaceProblems(
  { home, environment }: { readonly home: Home; readonly environment: PersonEnvironment },
  { plan: { forge }, workspace }: RunRequest,
): Promise<string[]> {
  if (statSync(workspace, { throwIfNoEntry: false })?.isDirectory() !== true)
    return [`There is no folder ${workspace}.`];
  try {
    const source = await inspectCopySource(home, workspace);
    if (source === "is not in a working tree of git")
      return [`${workspace} is not in a repository of git. Make one with: git init`];
    if (typeof source === "string") return [`A run cannot start in ${workspace}: it ${source}.`];
    const { top } = source;
    const { hasCommit, branch } = await readHead(top, environment);
    if (!hasCommit) return [`${top} has no commit to start from. Make a first commit: git commit`];
    const address = await findRemote(top, forge.remote, environment);
    if (isAbsolute(address) && !existsSync(address))
      return [`There is no repository ${address}. Make it with: git init --bare ${address}`];
    if (forge.kind === "github" && forge.repository === undefined && isLocal(address))
      return [
        `The remote ${forge.remote} is ${address}, which is not on a forge. Set forge.kind to git, or forge.repository to OWNER/NAME.`,
      ];
    await openForge(forge, address, branch, environment);
    return [];
  } catch (error) {
    if (FairleadError.isInstance(error)) return [error.message];
    throw error;
  }
}

/** Whether an address is a folder: git reads other forms as those of a host. */
function isLocal(address: string): boolean {
  return isAbsolute(address) || address.startsWith(".") || address.startsWith("file:");
}
