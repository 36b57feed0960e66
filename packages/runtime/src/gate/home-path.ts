import { posix } from "node:path";
import { locatePath, segmentsOf } from "./locate-path.ts";

/** The folders that a path is compared with. */
export interface KnownPlaces {
  readonly workspace: string | undefined;
  /** The person's home. Undefined if it is not known. */
  readonly home: string | undefined;
}

/** Reports whether a path is, or is in, a hidden file of a home: there, tools keep their logins and their configuration. */
export function isHiddenInHome(written: string, { workspace, home }: KnownPlaces): boolean {
  const path = written.startsWith("~") || workspace === undefined ? written : posix.resolve(workspace, written);
  const isInWorkspace = locatePath(path, workspace) === "workspace";
  // A workspace in a home is a project. One that is a home contains the person's files.
  if (isInWorkspace && !isHome(workspace ?? "", home)) return false;
  const part = partInHome(path, home);
  return part?.some((name) => name.length > 1 && name.startsWith(".") && name !== "..") ?? false;
}

function isHome(path: string, home: string | undefined): boolean {
  return path === home || /^\/(?:root|(?:home|users)\/[^/]+)$/i.test(path);
}

/** Returns the segments of a path below a home, or null if the path is in no home. */
function partInHome(path: string, home: string | undefined): string[] | null {
  const segments = segmentsOf(path, undefined);
  if (path.startsWith("~")) return segments.slice(1);
  const own = segmentsOf(home ?? "", undefined);
  if (own.length > 0 && own.every((name, at) => name === segments[at])) return segments.slice(own.length);
  // Anywhere in the path: `/proc/self/root/home/me` is a home, too.
  const at = segments.findIndex((name) => isHomes(name) || name === "root");
  if (at === -1) return null;
  const start = segments[at] === "root" ? at + 1 : at + 2;
  return segments.length < start ? null : segments.slice(start);
}

/** Reports whether a folder is one of homes. A computed name may be. */
const isHomes = (name: string): boolean => /^(?:home|users)$/i.test(name) || name.includes("*");
