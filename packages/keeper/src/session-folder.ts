import { join } from "node:path";

/** Where a keeper's things are in its session's folder. */
export const spoolFolder = (folder: string): string => join(folder, "spool");
export const identityFile = (folder: string): string => join(folder, "keeper.json");

/** The least that the systems we know allow, less the byte that ends it. */
const maxSocketPath = 103;

export function socketPath(folder: string): string {
  const path = join(folder, "keeper.sock");
  const length = Buffer.byteLength(path);
  if (length > maxSocketPath) {
    throw new Error(
      `The path of a keeper's socket may have ${maxSocketPath} bytes, but ${path} has ${length}. Put the sessions into a folder with a shorter path.`,
    );
  }
  return path;
}
