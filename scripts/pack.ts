/**
 * Builds the packages and packs them into one tarball that npm can install, `fairlead-VERSION.tgz`: `node
 * scripts/pack.ts [folder]`. `scripts/packages/pack-packages.ts` packs each package on its own, for programs.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, normalize, resolve } from "node:path";
import { listDataFiles, listPackedFiles } from "./packages/list-packed-files.ts";
import { packFolders, type PackResult } from "./packages/pack-folders.ts";
import { buildPackages } from "./packages/run-or-throw.ts";
import { copyInto, writeJson } from "./packages/stage-package.ts";
import { cliPackage, findDependencyClosure, scope, type WorkspacePackage } from "./packages/workspace-package.ts";
import { root } from "./run.ts";

/** Packages for work on this repository. Without them `fairlead drift` reports that it needs the repository. */
const excludedPackages = ["@fairlead/conformance", "@fairlead/lab"];

/** Packs the CLI as the package itself, with the compiled packages that it needs bundled in its node_modules. */
export async function pack(folder: string): Promise<PackResult> {
  await buildPackages();
  const workspacePackages = findDependencyClosure([cliPackage], excludedPackages);
  const availablePackages = new Set(
    workspacePackages.flatMap(({ name, dependencies }) => [name, ...Object.keys(dependencies)]),
  );
  for (const name of excludedPackages) availablePackages.delete(name);
  const stagingFolder = mkdtempSync(join(tmpdir(), "fairlead-pack-"));
  try {
    for (const workspacePackage of workspacePackages) {
      const target = join(
        stagingFolder,
        workspacePackage.name === cliPackage ? "" : `node_modules/${workspacePackage.name}`,
      );
      const files = listPackedFiles(workspacePackage, availablePackages);
      for (const file of [...files, ...listDataFiles(workspacePackage)])
        copyInto(join(workspacePackage.folder, file), join(target, file));
      const manifest =
        workspacePackage.name === cliPackage
          ? createCliManifest(workspacePackage, workspacePackages)
          : createBundledManifest(workspacePackage, files);
      writeJson(join(target, "package.json"), manifest);
    }
    for (const file of ["LICENSE", "README.md"]) copyInto(join(root, file), join(stagingFolder, file));
    const [packed] = await packFolders([stagingFolder], folder);
    if (packed === undefined) throw new Error("npm pack wrote no tarball.");
    return packed;
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
}

/** Creates the manifest of the tarball. npm installs third-party packages in exactly the tested versions. */
function createCliManifest(
  { name, version, license, engines }: WorkspacePackage,
  workspacePackages: readonly WorkspacePackage[],
): object {
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { description: string };
  const bundled = workspacePackages
    .filter((workspacePackage) => workspacePackage.name !== name)
    .map((workspacePackage): [string, string] => [workspacePackage.name, workspacePackage.version]);
  const externalDependencies = workspacePackages.flatMap(({ dependencies }) => Object.entries(dependencies));
  const dependencies = [...bundled, ...externalDependencies.filter(([dependency]) => !dependency.startsWith(scope))];
  return {
    name: "fairlead",
    version,
    description,
    license,
    type: "module",
    engines,
    bin: { fairlead: "dist/src/main.js" },
    dependencies: Object.fromEntries(dependencies.toSorted(([one], [other]) => (one < other ? -1 : 1))),
    bundleDependencies: bundled.map(([bundledName]) => bundledName),
  };
}

function createBundledManifest(
  { name, version, license, exports }: WorkspacePackage,
  files: readonly string[],
): object {
  const builtExports = Object.entries(exports)
    .filter(([, { built }]) => files.includes(normalize(built)))
    .map(([path, { built }]) => [path, built]);
  return { name, version, license, type: "module", exports: Object.fromEntries(builtExports) };
}

if (import.meta.main) {
  const { tarball, bytes, files } = await pack(resolve(process.argv[2] ?? "."));
  console.log(`${tarball}: ${files} files, ${Math.round(bytes / 1024)} KiB`);
}
