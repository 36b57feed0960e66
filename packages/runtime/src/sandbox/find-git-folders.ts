import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { findGitRepository } from "../review/find-git-repository.ts";
import { isInside } from "./user-openings.ts";

/** The git folders of a workspace. */
export interface GitFolders {
  /** What a commit writes, the shared folder of a worktree first. */
  readonly writes: readonly string[];
  /** What the agent can only read, although it is in the workspace. */
  readonly protects: readonly string[];
  /** The working tree. If the agent saw only a part of it, git would report the rest as deleted. */
  readonly shows: readonly string[];
}

const noGitFolders: GitFolders = { writes: [], protects: [], shows: [] };

/**
 * Finds the git folders of a workspace. If the hooks or the configuration are missing or are links, the agent can read the
 * repository and not commit: it could create what is missing, or replace a link, and git would run it for the user.
 */
export async function findGitFolders(workspace: string, home: string): Promise<GitFolders> {
  const repository = await findGitRepository(workspace).catch(() => null);
  // The agent does not see a repository of the home, and of nothing in it.
  if (repository === null || isInside(home, repository.top)) return noGitFolders;
  const { top, folder, commonFolder } = repository;
  const shows = top === workspace ? [] : [top];
  const folders = folder === commonFolder ? [folder] : [commonFolder, folder];
  const [config, hooks] = await Promise.all([
    lstat(join(commonFolder, "config")).catch(() => null),
    lstat(join(commonFolder, "hooks")).catch(() => null),
  ]);
  const isProtectable = config?.isFile() === true && hooks?.isDirectory() === true;
  if (!isProtectable) return { writes: [], protects: folders, shows };
  return { writes: folders, protects: folders.flatMap((one) => gitPrograms.map((name) => join(one, name))), shows };
}

/** Entries of a git folder that make git run programs, for the user as well. */
const gitPrograms: readonly string[] = ["config", "config.worktree", "hooks", "modules"];
