/**
 * Raises the version of all packages as the changesets say, and moves their sentences into CHANGELOG.md: `npm run
 * next-version`. Changesets itself would write one changelog per package, all for the same version.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { root } from "../run.ts";
import { runOrThrow } from "./run-or-throw.ts";
import { scope } from "./workspace-package.ts";

/** What `changeset status --output` writes. */
export interface ReleasePlan {
  readonly changesets: readonly {
    readonly summary: string;
    readonly releases: readonly { readonly name: string }[];
  }[];
  readonly releases: readonly { readonly newVersion: string }[];
}

/** Adds a section for the new version, which is the first of the changelog. */
export function addToChangelog(changelog: string, { changesets, releases }: ReleasePlan, date: string): string {
  const [version] = new Set(releases.map(({ newVersion }) => newVersion));
  if (version === undefined || changesets.length === 0)
    throw new Error("There is no changeset. Add one with: npm run changeset");
  const entries = changesets.map((changeset) => {
    const names = changeset.releases.map(({ name }) => name.slice(scope.length));
    return `- **${names.join(", ")}**: ${changeset.summary.trim().replaceAll("\n", "\n  ")}\n`;
  });
  const firstSection = changelog.indexOf("\n## ") + 1;
  if (firstSection === 0) throw new Error("CHANGELOG.md has no section.");
  return `${changelog.slice(0, firstSection)}## ${version} (${date})\n\n${entries.join("")}\n${changelog.slice(firstSection)}`;
}

async function readReleasePlan(): Promise<ReleasePlan> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-plan-"));
  try {
    const file = join(folder, "plan.json");
    // The path must be relative to the repository.
    await runOrThrow("changeset", ["status", "--output", relative(root, file)]);
    return JSON.parse(readFileSync(file, "utf8")) as ReleasePlan;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const changelogFile = join(root, "CHANGELOG.md");
  const plan = await readReleasePlan();
  const changelog = addToChangelog(readFileSync(changelogFile, "utf8"), plan, new Date().toISOString().slice(0, 10));
  await runOrThrow("changeset", ["version"]);
  writeFileSync(changelogFile, changelog);
  await runOrThrow("npm", ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"]);
  console.log(`All packages have version ${plan.releases[0]?.newVersion}. Review the changes and commit them.`);
}
