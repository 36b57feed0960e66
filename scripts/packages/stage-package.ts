import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../run.ts";
import { listCompiledFiles, listDataFiles, packageOf } from "./list-packed-files.ts";
import type { WorkspacePackage } from "./workspace-package.ts";

/**
 * Writes what a published package contains into a folder: compiled files, their types, a manifest that exports them, a
 * README and the license. In the repository a manifest exports the sources, which Node does not run below node_modules.
 */
export function stagePackage(workspacePackage: WorkspacePackage, folder: string): void {
  const files = listCompiledFiles(workspacePackage).flatMap((file) => [file, toTypesFile(file)]);
  const undeclared = findUndeclaredImports(workspacePackage, files);
  if (undeclared.length > 0) {
    throw new Error(
      `${workspacePackage.name} cannot be packed: its manifest must list as dependencies or peer dependencies: ${undeclared.join(", ")}.`,
    );
  }
  for (const file of [...files, ...listDataFiles(workspacePackage)])
    copyInto(join(workspacePackage.folder, file), join(folder, file));
  writeJson(join(folder, "package.json"), createManifest(workspacePackage));
  writeFileSync(join(folder, "README.md"), createReadme(workspacePackage));
  copyInto(join(root, "LICENSE"), join(folder, "LICENSE"));
}

function createManifest(workspacePackage: WorkspacePackage): object {
  const { name, version, description, license, engines, dependencies, peerDependencies, peerDependenciesMeta } =
    workspacePackage;
  const exports = Object.entries(workspacePackage.exports).map(([path, { built }]) => [
    path,
    { types: toTypesFile(built), default: built },
  ]);
  return {
    name,
    version,
    description,
    license,
    type: "module",
    engines,
    exports: Object.fromEntries(exports),
    files: ["dist"],
    dependencies,
    ...(peerDependencies !== undefined && { peerDependencies }),
    ...(peerDependenciesMeta !== undefined && { peerDependenciesMeta }),
  };
}

function createReadme({ name, description, license, exports }: WorkspacePackage): string {
  const entries = Object.keys(exports).map((path) => `\`${name}${path.slice(1)}\``);
  return [
    `# ${name}`,
    description,
    "Part of Fairlead, which drives coding agents through one contract. Node 24 or newer; ES modules with types.",
    `Entry points: ${entries.join(", ")}. All \`@fairlead\` packages have the same version. Use the same version of each.`,
    `${license}.`,
  ]
    .map((paragraph) => `${paragraph}\n`)
    .join("\n");
}

/** Lists the packages that the files import, also for types only, and that an install would not bring. */
function findUndeclaredImports(
  { folder, name, dependencies, peerDependencies = {} }: WorkspacePackage,
  files: readonly string[],
): string[] {
  const specifiers = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [...text.matchAll(/\b(?:from |import |import\()"([^".][^"]*)"/g)].map(([, specifier = ""]) => specifier);
  });
  const names = specifiers.filter((specifier) => !specifier.startsWith("node:")).map(packageOf);
  return [...new Set(names)].filter(
    (imported) => imported !== name && !(imported in dependencies) && !(imported in peerDependencies),
  );
}

function toTypesFile(file: string): string {
  return file.replace(/\.js$/, ".d.ts");
}

export function copyInto(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
