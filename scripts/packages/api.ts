/**
 * Compares the public API of every package with its snapshot, `packages/<name>/api.txt`: `npm run api`. With `--update` it
 * writes the snapshots. Commit them, so that a reviewer sees what changes for programs that use the package.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "../run.ts";
import { formatPublicApi } from "./format-public-api.ts";
import { buildPackages } from "./run-or-throw.ts";
import { readPublicPackages, type WorkspacePackage } from "./workspace-package.ts";

/** Returns the file of the snapshot. */
export function snapshotFile({ folder }: WorkspacePackage): string {
  return join(folder, "api.txt");
}

/** Returns the first line that differs between the API of a compiled package and its snapshot, or null. */
export function findApiChange(workspacePackage: WorkspacePackage): string | null {
  const file = snapshotFile(workspacePackage);
  const expected = (existsSync(file) ? readFileSync(file, "utf8") : "").split("\n");
  const actual = formatPublicApi(workspacePackage).split("\n");
  const index = actual.findIndex((line, at) => line !== expected[at]);
  if (index < 0 && actual.length === expected.length) return null;
  const at = index < 0 ? actual.length : index;
  return `${relative(root, file)}:${at + 1} has "${expected[at] ?? ""}", and the package has "${actual[at] ?? ""}". If the change is meant, run: npm run api -- --update`;
}

if (import.meta.main) {
  await buildPackages();
  for (const workspacePackage of readPublicPackages()) {
    if (process.argv.includes("--update"))
      writeFileSync(snapshotFile(workspacePackage), formatPublicApi(workspacePackage));
    const change = findApiChange(workspacePackage);
    if (change !== null) {
      console.error(change);
      process.exitCode = 1;
    }
  }
}
