import { lstatSync } from "node:fs";
import { z } from "zod";

/** Tells a folder from another one that has its path later. As text, because some file systems have larger numbers than JSON. */
export const FolderIdentity = z.object({ device: z.string(), inode: z.string() });
export type FolderIdentity = z.infer<typeof FolderIdentity>;

/** Returns null if there is no folder. */
export function identifyFolder(path: string): FolderIdentity | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? { device: String(stats.dev), inode: String(stats.ino) } : null;
}

export function isSameFolder(one: FolderIdentity, other: FolderIdentity): boolean {
  return one.device === other.device && one.inode === other.inode;
}
