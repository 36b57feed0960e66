import { lstatSync, type Stats } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { resolveLinks } from "./follow-links.ts";
import { isInside } from "./is-inside.ts";
import { findConfiguredPaths, readGitFile } from "./read-git-config.ts";

export interface GitProtectionOptions {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  /** Folders outside of the workspace that the agent can write. */
  readonly writes: readonly string[];
  /** Paths that the agent does not see. */
  readonly hides: readonly string[];
}

/** The git folders of a working tree. */
interface WorkingTree {
  readonly top: string;
  /** The folder that worktrees share comes first. */
  readonly folders: readonly string[];
}

/** Entries of a git folder that make git run programs, for the user as well. */
const gitPrograms: readonly string[] = ["config", "config.worktree", "hooks", "modules"];

/** Configurations can include each other. Git fails at the same depth. */
const maxIncludeDepth = 10;
/** More than any user has. Each costs a mount, and an agent may have created the configuration. */
const maxNamedPaths = 100;

/**
 * Finds what git reads or runs for the user, and the agent could write: the entries of a git folder that is there now, and
 * the paths that its and the user's configuration name. All of it can change after the session has started.
 *
 * An agent may have created what is read here. So only paths are returned that it can write, and none that is hidden: a mount
 * would show it.
 */
export function findGitProtections({ workspace, env, writes, hides }: GitProtectionOptions): string[] {
  const trees = ancestorsOf(workspace).flatMap(readWorkingTree);
  const gitFile = join(workspace, ".git");
  const found = [...(isFile(gitFile) ? [gitFile] : []), ...trees.flatMap(findPrograms)];
  const home = env["HOME"] ?? "";
  const userConfigs = [
    "/etc/gitconfig",
    join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git/config"),
    join(home, ".gitconfig"),
  ];
  // A repository that is created later in the workspace has the folder there that the user's configuration names.
  for (const { top, folders } of [{ top: workspace, folders: [] }, ...trees]) {
    const configs = [
      ...userConfigs,
      ...folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]),
    ];
    const named = findNamedPaths(configs, top, home);
    found.push(...[...configs, ...named].flatMap((path) => resolveLinks(path) ?? []));
    // An agent could create what is missing, or replace a link. It can in the workspace, where nothing prevents it.
    const open = named.filter((path) => resolveLinks(path) !== path);
    found.push(...folders.filter((folder) => open.some((path) => isInside(path, folder))));
  }
  const canWrite = (path: string): boolean => {
    const depth = path.startsWith(`${workspace}/`) ? workspace.length : 0;
    const writable = Math.max(depth, depthOfNearest(path, writes));
    return writable > 0 && writable >= depthOfNearest(path, hides);
  };
  return [...new Set(found)].filter(canWrite);
}

/** Returns the length of the longest of the folders that contain the path, 0 without one. */
const depthOfNearest = (path: string, folders: readonly string[]): number =>
  Math.max(0, ...folders.filter((folder) => isInside(path, folder)).map((folder) => folder.length));

function ancestorsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestorsOf(parent)];
}

/** Reads which git folders a folder has. Those above it count as well: the agent may have created the nearest. */
function readWorkingTree(top: string): WorkingTree[] {
  const path = join(top, ".git");
  const stats = statsOf(path);
  if (stats === null) return [];
  const named = stats.isFile() ? /^gitdir: (.*)/.exec(readGitFile(path))?.[1] : path;
  const folder = named === undefined ? null : resolveLinks(resolve(top, named));
  if (folder === null) return [];
  const shared = readGitFile(join(folder, "commondir")).trim();
  const common = shared === "" ? folder : (resolveLinks(resolve(folder, shared)) ?? folder);
  return [{ top, folders: common === folder ? [folder] : [common, folder] }];
}

/** Adds the whole folders if hooks or a configuration is missing or a link: an agent could create or replace it. */
function findPrograms({ folders }: WorkingTree): string[] {
  const [common = ""] = folders;
  const config = join(common, "config");
  const hasWorktreeConfigs = folders.every((folder) => isFile(join(folder, "config.worktree")));
  const isComplete =
    isFile(config) &&
    statsOf(join(common, "hooks"))?.isDirectory() === true &&
    (hasWorktreeConfigs || !/worktreeconfig/i.test(readGitFile(config)));
  const programs = folders.flatMap((folder) => gitPrograms.map((name) => join(folder, name)));
  return isComplete ? programs : [...folders, ...programs];
}

/** Returns the paths that configurations name, and those that are named there. */
function findNamedPaths(configs: readonly string[], top: string, home: string): string[] {
  const found = new Set<string>();
  const locate = (folder: string, path: string): string =>
    path.startsWith("~/") ? join(home, path.slice(1)) : resolve(folder, path);
  const read = (file: string, depth: number): void => {
    const { hooks, includes } = findConfiguredPaths(readGitFile(resolveLinks(file) ?? file));
    for (const path of hooks.slice(0, maxNamedPaths)) found.add(locate(top, path));
    for (const path of includes.map((one) => locate(dirname(file), one))) {
      if (found.has(path) || found.size >= maxNamedPaths) continue;
      found.add(path);
      if (depth < maxIncludeDepth) read(path, depth + 1);
    }
  };
  for (const file of configs) read(file, 0);
  return [...found];
}

const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;

/** Follows no link. Returns null for what is missing, or in a folder that may not be searched. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}
