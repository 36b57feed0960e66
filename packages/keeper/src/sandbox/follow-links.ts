import { existsSync, readlinkSync, realpathSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";

/** The kernel follows as many links in one path. */
const maxLinks = 40;

/** A path with its links followed. */
export interface FollowedPath {
  /** The path without links. */
  readonly target: string;
  /** The links on the way, by their paths, with what they contain. */
  readonly links: ReadonlyMap<string, string>;
}

/** Follows the links in an absolute path. Returns null if it does not exist. */
export function followLinks(path: string): FollowedPath | null {
  const target = resolveLinks(path);
  if (target === null) return null;
  try {
    return { target, links: target === path ? new Map() : findLinks(path) };
  } catch {
    return null; // it was removed just now
  }
}

/** Returns an absolute path without links, or null if it does not exist. */
export function resolveLinks(path: string): string | null {
  try {
    // Most paths that are asked about do not exist, and an error is slow.
    return path.startsWith("/") && existsSync(path) ? realpathSync.native(path) : null;
  } catch {
    return null; // it was removed just now, or a folder may not be searched
  }
}

function findLinks(path: string): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  let folder = "/";
  const names = path.split("/");
  for (let name = names.shift(); name !== undefined && links.size < maxLinks; name = names.shift()) {
    const next = name === ".." ? dirname(folder) : join(folder, name);
    const isLink = next !== folder && lstatSync(next).isSymbolicLink();
    if (isLink) {
      const content = readlinkSync(next);
      links.set(next, content);
      if (content.startsWith("/")) folder = "/";
      names.unshift(...content.split("/"));
    } else {
      folder = next;
    }
  }
  return links;
}
