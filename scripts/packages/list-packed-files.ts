import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { WorkspacePackage } from "./workspace-package.ts";

/** Lists the compiled files of a package, without its tests. */
export function listCompiledFiles({ folder, files }: WorkspacePackage): readonly string[] {
  if (files !== undefined) return files.filter((file) => file.endsWith(".js"));
  // List the sources, because the compiler does not delete the output of removed files.
  return globSync("{src,programs}/**/*.ts", { cwd: folder, exclude: ["**/fixtures/**"] })
    .filter((file) => !file.endsWith(".test.ts"))
    .map((file) => join("dist", file.replace(/\.ts$/, ".js")))
    .toSorted();
}

/** Lists the files of a package that are no modules for Node, such as the built page: all in the folders that it names. */
export function listDataFiles({ folder, files = [] }: WorkspacePackage): readonly string[] {
  const folders = files.filter((file) => !file.endsWith(".js"));
  return globSync(
    folders.map((name) => `${name}/**/*.*`),
    { cwd: folder },
  ).toSorted();
}

/**
 * Lists the compiled files of a package that need only the available packages. Files that import another package are
 * for tests or for work on the repository. They are not shipped, and neither are files that import them.
 */
export function listPackedFiles(
  workspacePackage: WorkspacePackage,
  availablePackages: ReadonlySet<string>,
): readonly string[] {
  const files = listCompiledFiles(workspacePackage)
    // A test suite for other implementations, in src/conformance, needs vitest. So none of its files is shipped.
    .filter((file) => !file.startsWith("dist/src/conformance/"));
  const importsByFile = new Map(files.map((file) => [file, readImports(join(workspacePackage.folder, file))]));
  for (let before = 0; before !== importsByFile.size;) {
    before = importsByFile.size;
    for (const [file, imports] of importsByFile) {
      if (!imports.every((specifier) => isAvailable(specifier, file))) importsByFile.delete(file);
    }
  }
  const entry = normalize(
    (workspacePackage.exports["."] ?? Object.values(workspacePackage.exports)[0])?.built ?? "dist/src/main.js",
  );
  if (!importsByFile.has(entry))
    throw new Error(`${workspacePackage.name} cannot be packed: ${entry} imports a package that is not shipped.`);
  return [...importsByFile.keys()];

  function isAvailable(specifier: string, file: string): boolean {
    if (specifier.startsWith("node:")) return true;
    if (specifier.startsWith(".")) return importsByFile.has(normalize(join(dirname(file), specifier)));
    return availablePackages.has(packageOf(specifier));
  }
}

/** Returns the name of the package that an import specifier names. */
export function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/**
 * Reads static imports and dynamic imports of files. A package that is imported dynamically is optional, so it may be
 * missing.
 */
function readImports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  const matches = text.matchAll(/^(?:import|export)\b(?:[^;"'=]*\bfrom)? "([^"]+)";|\bimport\("(\.[^"]+)"\)/gm);
  return [...matches].map(([, staticImport, dynamicImport = ""]) => staticImport ?? dynamicImport);
}
