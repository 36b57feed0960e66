import { lstat } from "node:fs/promises";
import { existsSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import { listLimit, requireSuccess } from "../review/guarded-git.ts";
import { findGitRepository } from "../review/find-git-repository.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { RepositoryInspector } from "../review/repository-inspector.ts";
import type { CopyFacts } from "./copy-facts.ts";

/** The work in a copy that is not in the person's repository. */
export interface CopyWork {
  /** Files that differ from the last commit. */
  readonly uncommitted: readonly string[];
  /** The number of commits that were not brought, on any branch. */
  readonly commits: number;
}

const diffFlags = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty"];

/** Commits that are compared: git takes them as arguments, which the system limits. More count as work. */
const maxTips = 1000;

/**
 * Opens the clone of a copy. Throws `conflict` if the clone or the person's repository, whose objects it borrows, is gone.
 */
export async function openCopy(facts: CopyFacts, signal: AbortSignal): Promise<RepositoryInspector> {
  const { folder, top, commonFolder } = facts;
  if (!existsSync(folder)) throw new FairleadError("conflict", `The isolated copy ${folder} no longer exists.`);
  if (!existsSync(commonFolder)) {
    const message = `The repository ${top} is gone or was moved. The isolated copy borrows its objects.`;
    throw new FairleadError("conflict", `${message} Move it back to use ${folder}.`);
  }
  // Of a clone without its git folder, git would find a repository above the data directory.
  const repository = await findGitRepository(folder);
  const inspector = await RepositoryInspector.open(folder, { sandbox: await findGitSandbox(), signal });
  if (inspector !== null && repository?.top === folder) return inspector;
  await inspector?.[Symbol.asyncDispose]();
  throw new FairleadError("conflict", `The isolated copy ${folder} is no longer a repository.`);
}

/** Finds the work in a copy. Throws `conflict` if that cannot be read. */
export async function findCopyWork(facts: CopyFacts, signal: AbortSignal): Promise<CopyWork> {
  await using inspector = await openCopy(facts, signal);
  const references = await inspector.listReferences();
  const head = references.find(({ name }) => name === "HEAD")?.object ?? facts.base;
  const tips = [...new Set(references.map(({ object }) => object))];
  const known = facts.brought === null ? [facts.base] : [facts.base, facts.brought];
  return {
    uncommitted: await listUncommitted(inspector, head),
    commits: tips.length > maxTips ? tips.length : await countCommits(inspector, tips, known),
  };
}

/** Counts the commits that some references lead to, and others do not. */
export async function countCommits(
  inspector: RepositoryInspector,
  tips: readonly string[],
  excluded: readonly string[],
): Promise<number> {
  const count = inspector.runGit(["rev-list", "--count", ...tips, "--not", ...excluded]);
  return Number((await requireSuccess(count)).output.toString());
}

/** Lists the files of a working tree that differ from a commit, and those that git neither tracks nor ignores. */
export async function listUncommitted(
  inspector: RepositoryInspector,
  commit: string,
  index?: string,
): Promise<string[]> {
  await inspector.readTree(commit, index);
  const changed = await requireSuccess(inspector.runGit(["diff", "--name-only", "-z", ...diffFlags], listLimit));
  return [...splitList(changed.output), ...splitList(await inspector.listNewFiles())];
}

/**
 * Counts the uncommitted changes of a person's repository. With its own index, git reads only files whose stat data changed.
 */
export async function countUncommitted(
  top: string,
  { commit, index, signal }: { readonly commit: string; readonly index: string; readonly signal: AbortSignal },
): Promise<number> {
  await using inspector = await RepositoryInspector.open(top, { sandbox: await findGitSandbox(), signal });
  if (inspector === null) return 0;
  const isFile = (await lstat(index).catch(() => null))?.isFile() === true;
  return (await listUncommitted(inspector, commit, isFile ? index : undefined)).length;
}

function splitList(output: Buffer): string[] {
  return output
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}
