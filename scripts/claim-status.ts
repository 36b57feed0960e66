/**
 * Results of claims by commit, and the page docs/status/claims.md made of them. Results are cached outside git, so that a
 * complete run may take several commands.
 */
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { root } from "./run.ts";

export interface ClaimResult {
  readonly id: string;
  readonly measured: string;
  readonly holds: boolean;
  readonly seconds: number;
  readonly at: string;
}

const page = "docs/status/claims.md";
const cache = join(root, ".cache/claims");

/** The commit that is checked out, or null if a tracked file other than the page differs from it. */
export function readCleanCommit(): string | null {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no")
    .split("\n")
    .filter((line) => line !== "" && !line.endsWith(page));
  return changed.length === 0 ? git("rev-parse", "HEAD") : null;
}

/** Saves one result. Each has a file of its own, so that several runs may save at the same time. */
export function saveResult(commit: string, result: ClaimResult): void {
  mkdirSync(folderOf(commit), { recursive: true });
  writeFileSync(join(folderOf(commit), `${result.id}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

export function readResults(commit: string): ClaimResult[] {
  return globSync("*.json", { cwd: folderOf(commit) }).map(
    (file) => JSON.parse(readFileSync(join(folderOf(commit), file), "utf8")) as ClaimResult,
  );
}

/** Writes the page from the results of a commit. Claims without a result are named as not run. */
export function writeStatusPage(commit: string, claims: readonly Claim[]): void {
  const results = new Map(readResults(commit).map((result) => [result.id, result]));
  const rows = claims.map(({ id, bound }) => {
    const result = results.get(id);
    if (result === undefined) return `| \`${id}\` | not run | ${bound} | not run | |`;
    const verdict = result.holds ? "holds" : "**does not hold**";
    return `| \`${id}\` | ${cell(result.measured)} | ${cell(bound)} | ${verdict} | ${Math.round(result.seconds)} |`;
  });
  const failing = claims.filter(({ id }) => results.get(id)?.holds === false).map(({ id }) => `\`${id}\``);
  const missing = claims.filter(({ id }) => !results.has(id)).map(({ id }) => `\`${id}\``);
  const text = [
    "# Claims",
    "",
    `Measured on commit \`${commit}\`, on a shared machine with two cores. Written by \`npm run claims -- --status\` after`,
    "`npm run claims`; never edited by hand.",
    "",
    `${claims.length - failing.length - missing.length} of ${claims.length} claims hold.`,
    ...(failing.length > 0 ? [`Does not hold: ${failing.join(", ")}.`] : []),
    ...(missing.length > 0 ? [`Not run on this commit: ${missing.join(", ")}.`] : []),
    "",
    "| claim | measured | bound | result | seconds |",
    "| --- | --- | --- | --- | ---: |",
    ...rows,
    "",
  ].join("\n");
  mkdirSync(join(root, "docs/status"), { recursive: true });
  writeFileSync(join(root, page), text);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function folderOf(commit: string): string {
  return join(cache, commit);
}
