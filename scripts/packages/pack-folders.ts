import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runOrThrow } from "./run-or-throw.ts";

export interface PackResult {
  /** The name in the manifest. */
  readonly name: string;
  readonly version: string;
  /** The path of the file. */
  readonly tarball: string;
  /** Its size. */
  readonly bytes: number;
  /** The number of files in it. */
  readonly files: number;
}

/** Packs folders, each of which has a manifest, into tarballs in the destination. */
export async function packFolders(folders: readonly string[], destination: string): Promise<readonly PackResult[]> {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", destination, ...folders];
  mkdirSync(destination, { recursive: true });
  // Not in the repository, where npm would find workspaces.
  const packed = JSON.parse(await runOrThrow("npm", args, tmpdir())) as {
    readonly name: string;
    readonly version: string;
    readonly filename: string;
    readonly size: number;
    readonly entryCount: number;
  }[];
  if (packed.length !== folders.length)
    throw new Error(`npm pack wrote ${packed.length} of ${folders.length} tarballs.`);
  return packed.map(({ name, version, filename, size, entryCount }) => ({
    name,
    version,
    tarball: join(destination, filename),
    bytes: size,
    files: entryCount,
  }));
}
