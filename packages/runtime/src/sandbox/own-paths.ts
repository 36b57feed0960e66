import { basename, dirname, join, relative } from "node:path";
import type { AgentNeeds } from "@fairlead/contract";
import { followLinks, isInside, resolveLinks } from "@fairlead/keeper";
import { withoutSlash } from "./compute-sandbox.ts";
import { secretHomePaths } from "./home-paths.ts";

/** What the links of an agent's own paths must not lead to. Links are resolved, except in `namedHome`. */
export interface OwnPathLimits {
  readonly workspace: string;
  readonly userHome: string;
  /** The user's home as the environment names it. */
  readonly namedHome: string;
  readonly dataDirectory: string;
}

/**
 * Adds to the paths of an agent's own what the user's links make of them. A keeper mounts only that, and creates the links, so
 * that both paths exist. An agent can replace a link in a folder that it can write, so such a link is followed only to what
 * has the same name: a folder of dotfiles has, and what an agent wants to see has not.
 */
export function followOwnPaths(
  needs: AgentNeeds,
  limits: OwnPathLimits,
): Required<Pick<AgentNeeds, "writes" | "reads">> {
  const writes = needs.writes.filter((path) => leadsToAllowed(withoutSlash(path), limits)).flatMap(withTarget);
  const writable = [limits.workspace, ...writes.map(withoutSlash)];
  const isLaidByAgent = (link: string): boolean => writable.some((folder) => isInside(dirname(link), folder));
  const reads = (needs.reads ?? []).flatMap((path) => {
    const followed = followLinks(path);
    if (followed === null || followed.target === path) return [path];
    const hasSameName = basename(followed.target) === basename(path);
    const isTrusted = hasSameName || ![...followed.links.keys()].some(isLaidByAgent);
    return isTrusted && leadsToAllowed(path, limits) ? withTarget(path) : [];
  });
  return { writes, reads };
}

/**
 * Whether a path leads to no secret of the user, to no part of the data directory, and to no folder that contains one of them.
 * A path without links may be in a place of secrets, because the agent itself keeps its files there, as in a cache.
 */
export function leadsToAllowed(path: string, { userHome, namedHome, dataDirectory }: OwnPathLimits): boolean {
  const target = resolveExisting(path);
  if (isInside(userHome, target) || overlaps(target, dataDirectory)) return false;
  const named = isInside(path, namedHome) ? join(userHome, relative(namedHome, path)) : path;
  return target === named || !secretHomePaths.some((secret) => isInside(target, join(userHome, secret)));
}

/**
 * Returns the entries of an agent's own folders that contain its program. Fairlead runs the program without a sandbox to read
 * its version, so the agent must not change it.
 */
export function findOwnProgram(program: string | null, writes: readonly string[]): string[] {
  const followed = program === null ? null : followLinks(program);
  const files = followed === null ? [] : [program ?? "", ...followed.links.keys(), followed.target];
  return writes
    .map(withoutSlash)
    .flatMap((folder) =>
      files
        .filter((file) => file !== folder && isInside(file, folder))
        .map((file) => join(folder, relative(folder, file).split("/")[0] ?? "")),
    );
}

const overlaps = (one: string, other: string): boolean => isInside(one, other) || isInside(other, one);

const withTarget = (path: string): string[] => [
  path,
  `${resolveLinks(path) ?? path}${path.endsWith("/") && path !== "/" ? "/" : ""}`,
];

/** Follows the links of the part of a path that exists. */
function resolveExisting(path: string): string {
  const target = resolveLinks(path);
  return target ?? (path === "/" ? path : join(resolveExisting(dirname(path)), basename(path)));
}
