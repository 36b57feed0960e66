import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { root } from "../run.ts";

export const scope = "@fairlead/";

/** The package of the command. Its tarball is the package `fairlead`, which contains the packages that it needs. */
export const cliPackage = `${scope}cli`;

/** The manifest of a package of this repository, and its folder. */
export interface WorkspacePackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly exports: Readonly<Record<string, { readonly built: string }>>;
  /** The compiled modules and the folders of data that are packed. Default: all compiled modules. */
  readonly files?: readonly string[];
}

/** Reads the manifest of a package of this repository by its name, such as `@fairlead/kit`. */
export function readWorkspacePackage(name: string): WorkspacePackage {
  const folder = join(root, "packages", name.slice(scope.length));
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Omit<WorkspacePackage, "folder">;
  return { ...manifest, dependencies: manifest.dependencies ?? {}, folder };
}

/** Lists the packages that are published under their own names. A package follows those that it depends on. */
export function readPublicPackages(): readonly WorkspacePackage[] {
  const names = globSync("packages/*/package.json", { cwd: root }).map((file) => `${scope}${basename(dirname(file))}`);
  return findDependencyClosure(names.toSorted()).filter((workspacePackage) => workspacePackage.private !== true);
}

/** Lists packages of this repository with those that they depend on, which come first. */
export function findDependencyClosure(
  names: readonly string[],
  excludedNames: readonly string[] = [],
): readonly WorkspacePackage[] {
  const found = new Map<string, WorkspacePackage | null>();
  const visit = (name: string): void => {
    if (found.has(name) || !name.startsWith(scope) || excludedNames.includes(name)) return;
    const workspacePackage = readWorkspacePackage(name);
    found.set(name, null);
    for (const dependency of Object.keys(workspacePackage.dependencies)) visit(dependency);
    // Set again, because a map keeps the place of the first insertion.
    found.delete(name);
    found.set(name, workspacePackage);
  };
  for (const name of names) visit(name);
  return [...found.values()].filter((workspacePackage) => workspacePackage !== null);
}
