import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { findGitRepository } from "../review/find-git-repository.ts";

/**
 * Returns the git folders that a commit in a workspace writes, the shared one of a worktree first. Returns none if the
 * hooks or the configuration of one could not be protected: an agent could create what is missing, or replace a link, and
 * git would run it for the user. Without them, the agent can read the repository and not commit.
 */
export async function findGitFolders(workspace: string): Promise<readonly string[]> {
  const repository = await findGitRepository(workspace).catch(() => null);
  if (repository === null) return [];
  const { folder, commonFolder } = repository;
  const [config, hooks] = await Promise.all([
    lstat(join(commonFolder, "config")).catch(() => null),
    lstat(join(commonFolder, "hooks")).catch(() => null),
  ]);
  if (config?.isFile() !== true || hooks?.isDirectory() !== true) return [];
  return folder === commonFolder ? [folder] : [commonFolder, folder];
}
