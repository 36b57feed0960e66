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
    using inside = openRoot(init);
    // A system can forbid it to look at the process. An agent cannot.
    if (inside === null) return null;
    using outside = new LinklessTree("/");
    const isMounting =
      inside.identify("") === outside.identify("") ||
      foldersDuringSetup.every((folder) => inside.identify(folder) !== null);
    if (isMounting) return undefined;
    // Sorted, so that files of the same folder follow each other.
    return paths.toSorted().find((path) => !isSame(inside.identify(path), outside.identify(path))) ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return undefined; // the process has ended
    throw error;
  }
}

function openRoot(init: number): LinklessTree | null {
  try {
    return new LinklessTree(`/proc/${init}/root`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return null;
    throw error;
  }
}

const isSame = (one: string | null, other: string | null): boolean => one !== null && one === other;

const isOfSystem = (path: string): boolean => ["/proc", ...systemPaths].some((folder) => isInside(path, folder));

/** Files below a root, found without following a link: each folder is entered by its descriptor. */
class LinklessTree implements Disposable {
  /** The way to the last file. A repository can have hundreds of mounts, and a process only so many descriptors. */
  readonly #way: { readonly name: string; readonly descriptor: number }[];

  constructor(root: string) {
    this.#way = [{ name: "", descriptor: openSync(root, withoutOpening | constants.O_DIRECTORY) }];
  }

  /** Returns what tells a file apart from all others, or null if it does not exist or is behind a link. */
  identify(path: string): string | null {
    const names = path.split("/");
    const isShared = ({ name }: { readonly name: string }, index: number): boolean => name === names[index];
    while (!this.#way.every(isShared)) this.#leave();
    for (const name of names.slice(this.#way.length)) {
      const descriptor = openIn(this.#way.at(-1)?.descriptor ?? -1, name);
      if (descriptor === null) return null;
      this.#way.push({ name, descriptor });
    }
    const stats = fstatSync(this.#way.at(-1)?.descriptor ?? -1, { bigint: true });
    return stats.isSymbolicLink() ? null : `${stats.dev}:${stats.ino}`;
  }

  [Symbol.dispose](): void {
    while (this.#way.length > 0) this.#leave();
  }

  #leave(): void {
    const last = this.#way.pop();
    if (last !== undefined) closeSync(last.descriptor);
  }
}

function openIn(folder: number, name: string): number | null {
  try {
    return openSync(`/proc/self/fd/${folder}/${name}`, withoutOpening | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // An agent can forbid the user to search its folders, and what is in them is then not known to be the same.
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EPERM"].includes(code ?? "")) return null;
    throw error;
  }
}
