/**
 * Builds the packages and packs them into one tarball that npm can install, `fairlead-VERSION.tgz`: `node
 * scripts/pack.ts [folder]`.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize, resolve } from "node:path";
import { listPackedFiles, type WorkspacePackage } from "./list-packed-files.ts";
import { root, runQuietly } from "./run.ts";

/** Packages for work on this repository. Without them `fairlead drift` reports that it needs the repository. */
const excludedPackages = ["@fairlead/conformance", "@fairlead/lab"];
const scope = "@fairlead/";
const cliPackage = `${scope}cli`;

export interface PackResult {
  readonly tarball: string;
  readonly bytes: number;
  readonly files: number;
}

/** Packs the CLI as the package itself, with the compiled packages that it needs bundled in its node_modules. */
export async function pack(folder: string): Promise<PackResult> {
  await runOrThrow("tsc", ["--build", "tsconfig.build.json"]);
  const workspacePackages = findWorkspacePackages(cliPackage);
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
      for (const file of files) copyInto(join(workspacePackage.folder, file), join(target, file));
      const manifest =
        workspacePackage.name === cliPackage
          ? createCliManifest(workspacePackage, workspacePackages)
          : createPackageManifest(workspacePackage, files);
      writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    }
    for (const file of ["LICENSE", "README.md"]) copyInto(join(root, file), join(stagingFolder, file));
    const packOutput = await runOrThrow(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", folder],
      stagingFolder,
    );
    const [packedTarball] = JSON.parse(packOutput) as { filename: string; size: number; entryCount: number }[];
    if (packedTarball === undefined) throw new Error("npm pack wrote no tarball.");
    return {
      tarball: join(folder, packedTarball.filename),
      bytes: packedTarball.size,
      files: packedTarball.entryCount,
    };
  } finally {
    rmSync(stagingFolder, { recursive: true, force: true });
  }
}

/** Finds a package and all packages of this repository that it depends on. */
function findWorkspacePackages(name: string, known = new Map<string, WorkspacePackage>()): readonly WorkspacePackage[] {
  if (known.has(name) || excludedPackages.includes(name)) return [...known.values()];
  const folder = join(root, "packages", name.slice(scope.length));
  const packageJson = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Omit<
    WorkspacePackage,
    "folder"
  >;
  known.set(name, { ...packageJson, dependencies: packageJson.dependencies ?? {}, folder });
  for (const dependency of Object.keys(packageJson.dependencies))
    if (dependency.startsWith(scope)) findWorkspacePackages(dependency, known);
  return [...known.values()];
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

function createPackageManifest(
  { name, version, license, exports }: WorkspacePackage,
  files: readonly string[],
): object {
  const builtExports = Object.entries(exports)
    .filter(([, { built }]) => files.includes(normalize(built)))
    .map(([path, { built }]) => [path, built]);
  return { name, version, license, type: "module", exports: Object.fromEntries(builtExports) };
}

function copyInto(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

async function runOrThrow(program: string, args: readonly string[], cwd = root): Promise<string> {
  const path = `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`;
  // Otherwise npm prints warnings about unknown settings into the output that is parsed here.
  const env = { ...process.env, PATH: path, npm_config_loglevel: "error" };
  const { code, output } = await runQuietly(program, args, { cwd, env });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed:\n${output}`);
  return output;
}

if (import.meta.main) {
  const { tarball, bytes, files } = await pack(resolve(process.argv[2] ?? "."));
  console.log(`${tarball}: ${files} files, ${Math.round(bytes / 1024)} KiB`);
}
