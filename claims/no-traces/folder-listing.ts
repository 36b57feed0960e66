import { globSync, lstatSync } from "node:fs";
import { join } from "node:path";

/** The entries of a folder, with their kinds. Git's own files are left out, because git writes them. */
export function listFolder(folder: string): ReadonlyMap<string, string> {
  const paths = globSync(["**/*", "**/.*", "**/.*/**"], { cwd: folder }).filter(
    (path) => path !== "." && !/^\.git\/(?:index|objects|logs|refs)/.test(path),
  );
  return new Map(paths.map((path) => [path, kindOf(join(folder, path))]));
}

function kindOf(path: string): string {
  const stats = lstatSync(path);
  return stats.isDirectory() ? "folder" : `${stats.mode.toString(8)} ${stats.size}`;
}

/** Returns the paths that were added, removed or changed. */
export function compareFolders(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}
