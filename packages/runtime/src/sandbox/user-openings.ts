import { join, normalize } from "node:path";
import type { Sandbox } from "@fairlead/contract";
import { isInside, resolveLinks } from "@fairlead/keeper";
import type { UserConfig } from "../config/user-config.ts";

/** The paths, hosts and ports that the user opened for a workspace. */
export interface UserOpenings {
  readonly hosts: readonly string[];
  readonly forwards: readonly number[];
  readonly shows: readonly string[];
  readonly writes: readonly string[];
  /** Whether agents can commit. One folder that forbids it is enough. */
  readonly commits: boolean;
}

/** Returns the openings for all folders that the workspace is in. `home` replaces `~`. */
export function findUserOpenings(config: UserConfig, workspace: string, home: string): UserOpenings {
  const entries = findEntries(config, workspace, home);
  return {
    hosts: entries.flatMap(({ hosts }) => hosts),
    forwards: entries.flatMap(({ forwards }) => forwards),
    shows: entries.flatMap(({ shows }) => shows.map((path) => resolveHome(path, home))),
    writes: entries.flatMap(({ writes }) => writes.map((path) => resolveHome(path, home))),
    commits: findEntries(config, workspace, home, resolveFolder).every(({ commits }) => commits),
  };
}

/** Returns the kind of sandbox that the user chose for a workspace, or undefined without a choice. */
export function findUserKind(config: UserConfig, workspace: string, home: string): Sandbox["kind"] | undefined {
  const isLimited = findEntries(config, workspace, home, resolveFolder).some(({ kind }) => kind === "bwrap");
  const chosen = findEntries(config, workspace, home).findLast(({ kind }) => kind !== undefined)?.kind;
  return chosen ?? (isLimited ? "bwrap" : undefined);
}

/**
 * Returns the entries for all folders that the workspace is in, the innermost last. `follow` makes limits hold in folders that
 * are named by a link. Openings do not follow one, because an agent could have laid it.
 */
function findEntries(
  { sandbox }: UserConfig,
  workspace: string,
  home: string,
  follow = (folder: string): string => folder,
): UserConfig["sandbox"][string][] {
  return Object.entries(sandbox)
    .map(([folder, entry]) => ({ folder: follow(resolveHome(folder, home)), entry }))
    .filter(({ folder }) => isInside(workspace, folder))
    .toSorted((one, other) => one.folder.length - other.folder.length)
    .map(({ entry }) => entry);
}

const resolveFolder = (folder: string): string => resolveLinks(folder) ?? folder;

/** Replaces `~` at the beginning of a path, and removes each `..` and a slash at the end. */
export function resolveHome(path: string, home: string): string {
  const absolute = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : normalize(path);
  return absolute.replace(/(?<=.)\/$/, "");
}
