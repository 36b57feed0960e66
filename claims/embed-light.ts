import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { root, runQuietly } from "../scripts/run.ts";

const limit = 12;
const scope = "@fairlead/";
/** What an embedding program installs: the service and one adapter, which is in the package of all adapters. */
const roots = ["service", "adapters"];

export const embedLight: Claim = {
  id: "embed-light",
  statement: "Embedding the service with an adapter installs no HTTP server, logger or tracing library.",
  bound: `≤ ${limit} third-party packages for service + adapters; control: more for the command line`,
  async prove() {
    const embedded = await installThirdParty(roots);
    const commandLine = await installThirdParty(["cli"]);
    return {
      measured: `${embedded.length} third-party packages (${embedded.join(", ")}); ${commandLine.length} for the command line`,
      holds: embedded.length > 0 && embedded.length <= limit && commandLine.length > limit,
    };
  },
};

/** Installs packages of this repository as npm would, and returns the names of the third-party packages. */
async function installThirdParty(names: readonly string[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "embed-"));
  try {
    const workspaces = closureOf(names);
    for (const name of workspaces) {
      const target = join(folder, "packages", name);
      mkdirSync(target, { recursive: true });
      const { devDependencies: _, ...published } = readManifest(name);
      writeFileSync(join(target, "package.json"), JSON.stringify(published));
    }
    const dependencies = Object.fromEntries(workspaces.map((name) => [`${scope}${name}`, `file:packages/${name}`]));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "embedding", private: true, dependencies }));
    const args = ["install", "--omit=dev", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    const { code, output } = await runQuietly("npm", args, { cwd: folder });
    if (code !== 0) throw new Error(`npm install failed:\n${output}`);
    return globSync(["node_modules/*", "node_modules/@*/*"], { cwd: folder })
      .map((path) => path.slice("node_modules/".length))
      .filter((name) => !name.startsWith(".") && !name.startsWith(scope) && !/^@[^/]+$/.test(name))
      .filter((name) => existsSync(join(folder, "node_modules", name, "package.json")))
      .toSorted();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The packages of this repository that some of them need at run time, with themselves. */
function closureOf(names: readonly string[], found = new Set<string>()): string[] {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const ours = Object.keys(readManifest(name).dependencies ?? {}).filter((one) => one.startsWith(scope));
    closureOf(
      ours.map((one) => one.slice(scope.length)),
      found,
    );
  }
  return [...found];
}

interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(name: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as PackageManifest;
}
