/**
 * Publishes all packages: `npm run release -- --dry-run` shows what would be published and publishes nothing. `npm run
 * release -- --publish VERSION` publishes that version, from a clean checkout without open changesets.
 */
import { globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { pack } from "../pack.ts";
import { root, run, runQuietly } from "../run.ts";
import { runAttw, runPublint } from "./lint-tarball.ts";
import type { PackResult } from "./pack-folders.ts";
import { packPackages } from "./pack-packages.ts";
import { cliPackage, readPublicPackages, readWorkspacePackage } from "./workspace-package.ts";

/** What must be true before packages are published. */
export interface ReleaseState {
  /** The version that the caller names. Without it a mistyped command could publish. */
  readonly requestedVersion: string | undefined;
  readonly versions: readonly string[];
  /** Whether git knows no changed and no untracked file. */
  readonly isClean: boolean;
  readonly openChangesets: readonly string[];
}

/** Lists the reasons not to publish, one sentence each. */
export function findReleaseBlockers(state: ReleaseState): string[] {
  const { requestedVersion, isClean, openChangesets } = state;
  const versions = [...new Set(state.versions)];
  const blockers: string[] = [];
  if (versions.length !== 1) blockers.push(`The packages have different versions: ${versions.join(", ")}.`);
  if (requestedVersion === undefined)
    blockers.push(
      `Name the version to publish: npm run release -- --publish ${versions[0]}. To look first: --dry-run.`,
    );
  else if (requestedVersion !== versions[0])
    blockers.push(`The packages have version ${versions[0]}, not ${requestedVersion}.`);
  if (!isClean) blockers.push("The working tree differs from its commit. Commit the changes.");
  if (openChangesets.length > 0)
    blockers.push(`These changesets are not in a version yet: ${openChangesets.join(", ")}. Run: npm run next-version`);
  return blockers;
}

/** Formats one line per tarball, in the order of publishing. */
export function formatTarballs(tarballs: readonly PackResult[]): string {
  const rows = tarballs.map(({ name, version, files, bytes, tarball }) => [
    name,
    version,
    `${files} files`,
    `${Math.round(bytes / 1024)} KiB`,
    basename(tarball),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

async function packAll(folder: string): Promise<readonly PackResult[]> {
  const packages = await packPackages(folder);
  const command = await pack(folder);
  const findings: string[] = [];
  for (const { tarball } of packages) findings.push(...(await runPublint(tarball)), ...(await runAttw(tarball)));
  findings.push(...(await runPublint(command.tarball)));
  if (findings.length > 0) throw new Error(findings.join("\n"));
  return [...packages, command];
}

/** Publishes the tarballs that the registry does not have, so that a release that failed halfway can be repeated. */
async function publish(tarballs: readonly PackResult[]): Promise<void> {
  for (const { name, version, tarball } of tarballs) {
    const { output } = await runQuietly("npm", ["view", `${name}@${version}`, "version", "--loglevel=silent"]);
    if (output.trim() === version) console.log(`${name} ${version} is already published.`);
    else if ((await run("npm", ["publish", tarball, "--access", "public"])) !== 0)
      throw new Error(`${name} ${version} was not published. Repeat the command when the cause is removed.`);
  }
}

async function readReleaseState(requestedVersion: string | undefined): Promise<ReleaseState> {
  const { output } = await runQuietly("git", ["status", "--porcelain"]);
  const changesets = globSync(".changeset/*.md", { cwd: root }).map((file) => basename(file));
  return {
    requestedVersion,
    versions: [...readPublicPackages(), readWorkspacePackage(cliPackage)].map(({ version }) => version),
    isClean: output === "",
    openChangesets: changesets.filter((file) => file !== "README.md"),
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean" }, publish: { type: "string" } } });
  const isDryRun = values["dry-run"] === true;
  const blockers = findReleaseBlockers(await readReleaseState(values.publish));
  if (!isDryRun && blockers.length > 0) {
    for (const blocker of blockers) console.error(blocker);
    process.exit(1);
  }
  mkdirSync(join(root, ".tmp"), { recursive: true });
  const folder = mkdtempSync(join(root, ".tmp/release-"));
  try {
    const tarballs = await packAll(folder);
    console.log(formatTarballs(tarballs));
    if (isDryRun) {
      console.log(`\nDry run: ${tarballs.length} packages would be published. None was.`);
      for (const blocker of blockers) console.log(`Before publishing: ${blocker}`);
    } else await publish(tarballs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
