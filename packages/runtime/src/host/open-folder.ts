import { constants } from "node:fs";
import { open } from "node:fs/promises";

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder of an agent. On Linux, links that are set while it is open have no effect. */
export interface OpenFolder extends AsyncDisposable {
  /** Leads to the open folder, also if its path leads elsewhere by now. */
  readonly path: string;
  /** Makes new and removed names durable. */
  sync(): Promise<void>;
}

/** Opens a folder. Returns null if there is none, or a link in its place. */
export async function openFolder(path: string): Promise<OpenFolder | null> {
  const handle = await open(path, folderFlags).catch(() => null);
  if (handle === null) return null;
  return {
    path: process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : path,
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: async () => await handle.close(),
  };
}
