import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { isInside } from "./is-inside.ts";
import { systemPaths } from "./visible-paths.ts";

/** O_PATH, which Node does not name: the descriptor stands for a file that is not opened. */
const withoutOpening = 0o10_000_000;

/** Folders that only bubblewrap's own root has, in which it mounts. */
const foldersDuringSetup = ["/newroot", "/oldroot"];

/** Returns the paths that bubblewrap's arguments mount where they are, except those of the system. */
export function listMountedPaths(args: readonly string[]): string[] {
  const isBind = (index: number): boolean => /^--(?:ro-)?bind$/.test(args[index] ?? "");
  return args.filter((path, index) => isBind(index - 1) && args[index + 1] === path && !isOfSystem(path));
}

/**
 * Compares what bubblewrap has mounted with what is on the disk. `init` is its process in the sandbox. Returns a path at which
 * something else was mounted, null if there is none, or undefined while bubblewrap is mounting.
 *
 * Bubblewrap follows links. An agent of another session can replace a folder by a link after the keeper has looked at it and
 * before bubblewrap mounts it, and replace it back.
 */
export function findReplacedMount(init: number, paths: readonly string[]): string | null | undefined {
  try {
    using inside = new LinklessTree(`/proc/${init}/root`);
    using outside = new LinklessTree("/");
    const isMounting =
      inside.identify("") === outside.identify("") ||
      foldersDuringSetup.every((folder) => inside.identify(folder) !== null);
    if (isMounting) return undefined;
    return paths.find((path) => !isSame(inside.identify(path), outside.identify(path))) ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A system can forbid it to look at the process. An agent cannot.
    if (code === "EACCES" || code === "EPERM") return null;
    if (code === "ENOENT" || code === "ESRCH") return undefined; // the process has ended
    throw error;
  }
}

const isSame = (one: string | null, other: string | null): boolean => one !== null && one === other;

const isOfSystem = (path: string): boolean => ["/proc", ...systemPaths].some((folder) => isInside(path, folder));

/** Files below a root, found without following a link: each folder is entered by its descriptor. */
class LinklessTree implements Disposable {
  readonly #descriptors = new Map<string, number | null>();

  constructor(root: string) {
    this.#descriptors.set("", openSync(root, withoutOpening | constants.O_DIRECTORY));
  }

  /** Returns what tells a file apart from all others, or null if it does not exist or is behind a link. */
  identify(path: string): string | null {
    const descriptor = this.#find(path);
    if (descriptor === null) return null;
    const stats = fstatSync(descriptor, { bigint: true });
    return stats.isSymbolicLink() ? null : `${stats.dev}:${stats.ino}`;
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#descriptors.values()) if (descriptor !== null) closeSync(descriptor);
  }

  #find(path: string): number | null {
    const known = this.#descriptors.get(path);
    if (known !== undefined) return known;
    const end = path.lastIndexOf("/");
    const folder = this.#find(path.slice(0, end));
    const found = folder === null ? null : openIn(folder, path.slice(end + 1));
    this.#descriptors.set(path, found);
    return found;
  }
}

function openIn(folder: number, name: string): number | null {
  try {
    return openSync(`/proc/self/fd/${folder}/${name}`, withoutOpening | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return null;
    throw error;
  }
}
