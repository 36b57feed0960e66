import { join, relative } from "node:path";
import type { UserConfig } from "../config/user-config.ts";

/** The paths that the user opened for a workspace. */
export interface UserOpenings {
  readonly shows: readonly string[];
  readonly writes: readonly string[];
  /** Whether agents can commit. One folder that forbids it is enough. */
  readonly commits: boolean;
}

/** Returns the openings for all folders that the workspace is in. `home` replaces `~`. */
export function findUserOpenings({ sandbox }: UserConfig, workspace: string, home: string): UserOpenings {
  const resolveHome = (path: string): string =>
    path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
  const openings = Object.entries(sandbox)
    .filter(([folder]) => isInside(workspace, resolveHome(folder)))
    .map(([, opening]) => opening);
  return {
    shows: openings.flatMap(({ shows }) => shows.map(resolveHome)),
    writes: openings.flatMap(({ writes }) => writes.map(resolveHome)),
    commits: openings.every(({ commits }) => commits),
  };
}

/** Whether a path is a folder or in it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../");
}
