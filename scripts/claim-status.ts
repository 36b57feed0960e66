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

/** A result, and the commit that it was measured on. */
interface CommittedResult extends ClaimResult {
  readonly commit: string;
}

/** Finds the newest result of each claim, on the commit or on the nearest commit before it. */
function findNewestResults(commit: string): ReadonlyMap<string, CommittedResult> {
  const history = execFileSync("git", ["rev-list", "--first-parent", commit], { cwd: root, encoding: "utf8" });
  const newest = new Map<string, CommittedResult>();
  for (const one of history.trim().split("\n"))
    for (const result of readResults(one))
      if (!newest.has(result.id)) newest.set(result.id, { ...result, commit: one });
  return newest;
}

/** Whether the repository has a commit. Nobody can repeat a figure of one that it lacks. */
function hasCommit(commit: string): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: root, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Reads the results that the page has. The cache is not in git, so a new machine has none of those measured before. */
function readPage(): Map<string, CommittedResult> {
  const results = new Map<string, CommittedResult>();
  for (const line of readFileSync(join(root, page), "utf8").split("\n")) {
    const [id = "", measured = "", , verdict, measuredOn = "", seconds = ""] = line.slice(2, -2).split(/(?<!\\) \| /);
    if (!/^[0-9a-f]{7}$/.test(measuredOn) || !hasCommit(measuredOn)) continue;
    const result = { id: id.slice(1, -1), measured: measured.replaceAll("\\|", "|"), holds: verdict === "holds" };
    results.set(result.id, { ...result, commit: measuredOn, seconds: Number(seconds), at: "" });
  }
  return results;
}

/**
 * Writes the page from the results of a commit and of those before it. Each row names its commit, because a complete run
 * takes hours. A claim without a result keeps the one that the page has, or is named as not run.
 */
export function writeStatusPage(commit: string, claims: readonly Claim[]): void {
  const results = new Map([...readPage(), ...findNewestResults(commit)]);
  const rows = claims.map(({ id, bound }) => {
    const result = results.get(id);
    if (result === undefined) return `| \`${id}\` | not run | ${bound} | not run | | |`;
    const verdict = result.holds ? "holds" : "**does not hold**";
    const cells = [cell(result.measured), cell(bound), verdict, result.commit.slice(0, 7), Math.round(result.seconds)];
    return `| \`${id}\` | ${cells.join(" | ")} |`;
  });
  const failing = claims.filter(({ id }) => results.get(id)?.holds === false).map(({ id }) => `\`${id}\``);
  const missing = claims.filter(({ id }) => !results.has(id)).map(({ id }) => `\`${id}\``);
  const text = [
    "# Claims",
    "",
    "For everyone who wants to know what holds: the claims of this repository, the figures that were measured, and the commit",
    "that they were measured on, on a shared machine with two cores. `npm run claims -- --status` writes this page after",
    "`npm run claims`.",
    "",
    `${claims.length - failing.length - missing.length} of ${claims.length} claims hold.`,
    ...(failing.length > 0 ? ["", ...list("Does not hold:", failing)] : []),
    ...(missing.length > 0 ? ["", ...list("Not run:", missing)] : []),
    "",
    "| claim | measured | bound | result | commit | seconds |",
    "| --- | --- | --- | --- | --- | ---: |",
    ...rows,
    "",
  ].join("\n");
  mkdirSync(join(root, "docs/status"), { recursive: true });
  writeFileSync(join(root, page), text);
}

function list(title: string, names: readonly string[]): string[] {
  return [title, "", ...names.map((name) => `- ${name}`)];
}

function cell(text: string): string {
  // An error message may name files of the machine.
  return text.replaceAll(`${root}/`, "").replaceAll("|", "\\|").replaceAll("\n", " ");
}

function folderOf(commit: string): string {
  return join(cache, commit);
}
