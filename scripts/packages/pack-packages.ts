/**
 * Builds the public packages and packs each into its own tarball: `node scripts/packages/pack-packages.ts [folder]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { packFolders, type PackResult } from "./pack-folders.ts";
import { buildPackages } from "./run-or-throw.ts";
import { stagePackage } from "./stage-package.ts";
import { readPublicPackages } from "./workspace-package.ts";

/** Packs every public package. A tarball follows those of the packages that it depends on. */
export async function packPackages(destination: string): Promise<readonly PackResult[]> {
  await buildPackages();
  const stagingFolder = mkdtempSync(join(tmpdir(), "fairlead-packages-"));
  try {
    const folders = readPublicPackages().map((workspacePackage) => {
      const folder = join(stagingFolder, workspacePackage.name);
      stagePackage(workspacePackage, folder);
      return folder;
    });
    return await packFolders(folders, destination);
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  for (const { tarball, bytes, files } of await packPackages(resolve(process.argv[2] ?? "."))) {
    console.log(`${tarball}: ${files} files, ${Math.round(bytes / 1024)} KiB`);
  }
}
