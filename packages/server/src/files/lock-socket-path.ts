import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { lockFile } from "@fairlead/engine";

/** Reserves the socket path for this process, in a folder that no other user can enter. */
export function lockSocketPath(path: string): Disposable {
  createSocketFolder(path);
  const lock = lockFile(`${path}.lock`);
  // A process that listens here holds the lock, so an existing socket file is left over from one that was killed.
  rmSync(path, { force: true });
  return lock;
}

/** Creates the folder of a socket, and refuses one that another user can enter. */
export function createSocketFolder(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(folder);
  if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
    throw new FairleadError(
      "not-allowed",
      `${folder} must be yours and closed to other users. Run: chmod 700 ${folder}`,
    );
  }
}
