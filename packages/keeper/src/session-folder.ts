import { join } from "node:path";

/** The folder of a session's spool. */
export const spoolFolder = (folder: string): string => join(folder, "spool");

/** The file with the identity of a session's keeper process. It exists while the keeper listens. */
export const identityFile = (folder: string): string => join(folder, "keeper.json");

/** The lowest limit of the supported systems (macOS: 104 bytes), without the terminating zero byte. */
const maxSocketPathBytes = 103;

/** Returns the path of a keeper's socket. Throws if the path is longer than systems allow. */
export function socketPath(folder: string): string {
  const path = join(folder, "keeper.sock");
  const length = Buffer.byteLength(path);
  if (length > maxSocketPathBytes) {
    throw new Error(
      `The path of the keeper's socket is too long: ${path} has ${length} bytes, the limit is ${maxSocketPathBytes}. Set FAIRLEAD_HOME to a shorter path.`,
    );
  }
  return path;
}
