import { existsSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { listLimit, requireSuccess } from "../review/guarded-git.ts";
import { findGitRepository } from "../review/find-git-repository.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { RepositoryInspector } from "../review/repository-inspector.ts";
import type { CopyFacts } from "./copy-facts.ts";
import { CopyGit } from "./copy-git.ts";

/** The work in a copy that is not in the person's repository. */
export interface CopyWork {
  /** Files that differ from the last commit. */
  readonly uncommitted: readonly string[];
  /** The number of commits that are not in the person's repository, on any branch. */
  readonly commits: number;
  /** What else there is that may be work, and is not compared. */
  readonly others: readonly string[];
}

const diffFlags = ["--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty"];

/** The files of Fairlead beside a clone. */
const ownFile = /^copy\.json(?:\.new)?$/;

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
  const isComplete = (await inspector?.runGit(["cat-file", "-e", `${facts.base}^{commit}`]))?.code === 0;
  if (inspector !== null && repository?.top === folder && isComplete) return inspector;
  await inspector?.[Symbol.asyncDispose]();
  if (inspector === null || repository?.top !== folder)
    throw new FairleadError("conflict", `The isolated copy ${folder} is no longer a repository.`);
  const message = `The repository ${top} no longer has the commit ${facts.base} that the isolated copy began with.`;
  throw new FairleadError("conflict", `${message} Fetch it there to use ${folder}.`);
}

/** Finds the work in a copy. Throws `conflict` if that cannot be read. */
export async function findCopyWork(facts: CopyFacts, signal: AbortSignal): Promise<CopyWork> {
  await using inspector = await openCopy(facts, signal);
  const references = await inspector.listReferences();
  const head = references.find(({ name }) => name === "HEAD")?.object ?? facts.base;
  const tips = [...new Set(references.map(({ object }) => object))];
  const known = await listKnownCommits(facts, signal);
  // Not the list of the clone, which the agent can write.
  const excludesFile = join(facts.commonFolder, "info/exclude");
  return {
    uncommitted: await listUncommitted(inspector, head, { excludesFile }),
    others: await listOtherWork(facts),
    commits: tips.length > maxTips ? tips.length : await countCommits(inspector, tips, known),
  };
}

/** The first commit of the copy, and the one that was brought, if the person's repository still has it on a branch or tag. */
export async function listKnownCommits(
  { base, brought, top, commonFolder }: CopyFacts,
  signal: AbortSignal,
): Promise<string[]> {
  if (brought === null) return [base];
  const git = await CopyGit.open({ top, writable: commonFolder, signal });
  const args = ["for-each-ref", "--count=1", "--format=%(refname)", "--contains", brought];
  const { code, output } = await git.run(args, { GIT_DIR: commonFolder, HOME: "/" });
  return code === 0 && output.length > 0 ? [base, brought] : [base];
}

/** Worktrees and submodules of the clone have repositories and files of their own. */
async function listOtherWork({ folder }: CopyFacts): Promise<string[]> {
  const count = async (path: string): Promise<number> => (await readdir(path).catch(() => [])).length;
  const beside = (await readdir(dirname(folder))).filter((name) => name !== basename(folder) && !ownFile.test(name));
  return [
    ...((await count(join(folder, ".git/worktrees"))) > 0 ? ["a worktree"] : []),
    ...((await count(join(folder, ".git/modules"))) > 0 ? ["a submodule"] : []),
    ...(beside.length > 0 ? ["files beside it"] : []),
  ];
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
  { index, excludesFile }: { readonly index?: string | undefined; readonly excludesFile?: string } = {},
): Promise<string[]> {
  await inspector.readTree(commit, index);
  const changed = await requireSuccess(inspector.runGit(["diff", "--name-only", "-z", ...diffFlags], listLimit));
  return [...splitList(changed.output), ...splitList(await inspector.listNewFiles(excludesFile))];
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
  return (await listUncommitted(inspector, commit, { index: isFile ? index : undefined })).length;
}

function splitList(output: Buffer): string[] {
  return output
    .toString()
    .split("\0")
    .filter((path) => path !== "");
}
