import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { createBareRepository } from "../files/bare-repository.ts";
import { listLimit, requireSuccess } from "../review/guarded-git.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import { maxShallowBytes, type RepositoryInspector } from "../review/repository-inspector.ts";
import type { CopyFacts } from "./copy-facts.ts";
import { CopyGit } from "./copy-git.ts";
import { copyObjects } from "./copy-objects.ts";
import { findRunnableFiles, type ModeChange, type RunnableFile } from "./find-runnable-files.ts";
import { countCommits, listKnownCommits, listUncommitted, openCopy } from "./read-copy-work.ts";

/** What was brought from a copy into the person's repository. */
export interface BroughtCopy {
  readonly branch: string;
  /** The commit that the branch now leads to; null if the copy has no commit of its own. */
  readonly commit: string | null;
  readonly base: string;
  /** The number of commits since the base, and how many of them were not brought before. */
  readonly commits: number;
  readonly newCommits: number;
  /** The number of files that differ from the base. */
  readonly files: number;
  /** Files that could run something. */
  readonly runnable: RunnableFile[];
  /** Files of the copy that are not committed, and were not brought. */
  readonly uncommitted: string[];
  readonly uncommittedFiles: number;
  /** The number of commits of the copy on other branches. They were not brought. */
  readonly otherCommits: number;
  /** The clone. */
  readonly folder: string;
}

/** Files that a list names. */
const maxListed = 1000;

/** The branch that the fetch reads, in a repository that only Fairlead writes. */
const sourceBranch = "refs/heads/source";

/**
 * Fetches the branch of a copy into the person's repository, and merges nothing. The fetch is from a repository of Fairlead's
 * own with a copy of the clone's objects, so that no configuration, hook or link that the agent wrote has an effect. No hook
 * of the person's repository runs either. Throws `conflict` if the person's branch of that name has other commits.
 */
export async function bringCopy(
  facts: CopyFacts,
  agentFiles: readonly string[],
  signal: AbortSignal,
): Promise<BroughtCopy> {
  const { branch, base, folder } = facts;
  await using inspector = await openCopy(facts, signal);
  const references = await inspector.listReferences();
  const objectOf = (name: string): string | undefined => references.find((one) => one.name === name)?.object;
  const head = objectOf("HEAD") ?? base;
  const commit = await chooseCommit(inspector, objectOf(`refs/heads/${branch}`), head);
  const commits = await countCommits(inspector, [commit], [base]);
  const known = await listKnownCommits(facts, signal);
  const newCommits = await countCommits(inspector, [commit], known);
  const tips = [...new Set(references.map(({ object }) => object))];
  const otherCommits = await countCommits(inspector, tips, [commit, ...known]);
  const changes = commits === 0 ? [] : await listModeChanges(inspector, base, commit);
  const uncommitted = await listUncommitted(inspector, head);
  if (commits > 0) await fetchBranch(facts, commit, signal);
  return {
    branch,
    commit: commits === 0 ? null : commit,
    base,
    commits,
    newCommits,
    files: changes.length,
    runnable: findRunnableFiles(changes, agentFiles).slice(0, maxListed),
    uncommitted: uncommitted.slice(0, maxListed),
    uncommittedFiles: uncommitted.length,
    otherCommits,
    folder,
  };
}

/** The commit that the agent is at, if that continues the copy's branch. Otherwise the branch. */
async function chooseCommit(inspector: RepositoryInspector, own: string | undefined, head: string): Promise<string> {
  if (own === undefined || own === head) return head;
  const { code } = await inspector.runGit(["merge-base", "--is-ancestor", own, head]);
  return code === 0 ? head : own;
}

async function listModeChanges(inspector: RepositoryInspector, base: string, commit: string): Promise<ModeChange[]> {
  const list = inspector.runGit(["diff-tree", "-r", "-z", "--raw", "--no-renames", base, commit], listLimit);
  const fields = (await requireSuccess(list)).output.toString().split("\0");
  const changes: ModeChange[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before = "", after = ""] = (fields[index] ?? "").slice(1).split(" ");
    changes.push({ path: fields[index + 1] ?? "", before, after });
  }
  return changes;
}

async function fetchBranch(facts: CopyFacts, commit: string, signal: AbortSignal): Promise<void> {
  const { top, commonFolder, branch, folder } = facts;
  const scratch = await mkdtemp(join(await realpath(tmpdir()), "fairlead-bring-"));
  try {
    const source = join(scratch, "git");
    await createBareRepository(source, commit.length === 64 ? "sha256" : "sha1");
    await mkdir(join(source, "objects/info"), { recursive: true });
    // The commits that the clone has of its own are copied. All others are in the person's repository.
    await writeFile(join(source, "objects/info/alternates"), `${join(commonFolder, "objects")}\n`);
    await copyObjects(join(folder, ".git"), join(source, "objects"), signal);
    await mkdir(dirname(join(source, sourceBranch)), { recursive: true });
    await writeFile(join(source, sourceBranch), `${commit}\n`);
    const shallow = readPlainFile(join(commonFolder, "shallow"), maxShallowBytes);
    if (shallow !== null) await writeFile(join(source, "shallow"), shallow);
    const git = await CopyGit.open({ top, writable: commonFolder, signal });
    const flags = ["--no-tags", "--no-recurse-submodules", "--no-auto-maintenance", "--no-write-fetch-head"];
    const { code, stderr } = await git.run(
      // An object that would trick git when it is checked out is refused.
      [
        "-c",
        "fetch.fsckObjects=true",
        "-c",
        "core.bare=false",
        "fetch",
        ...flags,
        "--upload-pack",
        "git-upload-pack",
        source,
        `${sourceBranch}:refs/heads/${branch}`,
      ],
      { GIT_DIR: commonFolder, HOME: "/" },
    );
    if (code !== 0) throw describeFailure(facts, stderr);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function describeFailure({ branch, top, session }: CopyFacts, stderr: string): FairleadError {
  if (stderr.includes("non-fast-forward")) {
    const message = `Your branch ${branch} in ${top} has commits that the copy does not have. Nothing was brought.`;
    const advice = `Rename it with: git branch -m ${branch} ${branch}-mine\nThen type: fairlead bring ${session}`;
    return new FairleadError("conflict", `${message} ${advice}`);
  }
  if (stderr.includes("checked out")) {
    const message = `The branch ${branch} is checked out in ${top}. Git does not move it there, and nothing was brought.`;
    return new FairleadError("conflict", `${message} Switch to another branch first: git switch -`);
  }
  return new FairleadError("unavailable", `The branch cannot be brought into ${top}: ${stderr.trim()}`);
}
