import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import type { Home } from "../home.ts";

/** What happened to the data directory under a running process. */
export interface HomeProblem {
  /**
   * `removed` and `moved`: the directory is not at its path. `file-removed`: a database is not, and what is written to
   * it will be lost.
   */
  readonly kind: "removed" | "moved" | "file-removed";
  /** What happened, and what to do. */
  readonly message: string;
}

/**
 * Notices that the data directory, the journal or the idempotency store was removed or replaced. The process has the files
 * open and could continue to write to them, but no later process would find what it wrote.
 */
export class HomeWatch implements Disposable {
  readonly #home: Home;
  /** Kept open: only its link count tells a removed directory from one that was moved. */
  readonly #folder: number;
  readonly #inodes: ReadonlyMap<string, number | null>;

  /** Starts with the files as they are. Both databases must exist. */
  constructor(home: Home) {
    this.#home = home;
    this.#folder = openSync(home.folder, "r");
    this.#inodes = new Map([home.journalFile, home.idempotencyFile].map((file) => [file, inodeOf(file)]));
  }

  /** Returns the problem, or null. A file that was moved away and back is no problem. Takes a few microseconds. */
  check(): HomeProblem | null {
    const { folder } = this.#home;
    const stats = fstatSync(this.#folder);
    if (inodeOf(folder) !== stats.ino) {
      return stats.nlink === 0
        ? { kind: "removed", message: `The data directory ${folder} was removed while Fairlead was running.` }
        : { kind: "moved", message: `The data directory ${folder} was moved while Fairlead was running.` };
    }
    for (const [file, inode] of this.#inodes) {
      if (inodeOf(file) === inode) continue;
      const message = `${file} was removed or replaced while Fairlead was running. What happens now will not be stored. Put the file back, or stop the sessions with: fairlead down --stop-sessions`;
      return { kind: "file-removed", message };
    }
    return null;
  }

  [Symbol.dispose](): void {
    closeSync(this.#folder);
  }
}

/** Returns the inode of a path, or null if there is no file. */
function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}
