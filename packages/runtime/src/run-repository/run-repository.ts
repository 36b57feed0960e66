import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { alternatesFile, formatAlternates } from "../copies/alternates.ts";
import { baseReference, readCopyFacts } from "../copies/copy-facts.ts";
import { CopyGit } from "../copies/copy-git.ts";
import { findCopySource } from "../copies/create-copy.ts";
import { discardCopy } from "../copies/remove-copy.ts";
import { createBareRepository } from "../files/bare-repository.ts";
import type { Home } from "../home.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { runGitCommand, runGuardedGit, type GitRunOptions } from "../review/guarded-git.ts";
import { maxShallowBytes } from "../review/repository-inspector.ts";
import type { BoundedRunResult } from "../review/run-bounded.ts";

/** Where a run starts from. */
const RunOrigin = z.object({
  /** The working tree and the shared git folder of the person's repository. */
  top: z.string(),
  commonFolder: z.string(),
  /** The last commit of the person's repository. */
  base: z.string(),
  /** The branch of the person's working tree; null if there is none. */
  branch: z.string().nullable(),
});
export type RunOrigin = z.infer<typeof RunOrigin>;

/** The state of a clone as a commit of the run's repository. */
export interface RunSnapshot {
  readonly tree: string;
  readonly commit: string;
}

export interface TreeMerge extends RunSnapshot {
  /** The paths that git could not merge. Their files have conflict markers. */
  readonly conflicts: string[];
}

export interface CommitStatistics {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** Milliseconds that git may take for a step, in a large repository on a slow disk. */
const gitTimeout = 600_000;
const maxOriginBytes = 64 * 1024;
const listLimit = 16 * 1024 * 1024;

/**
 * The repository of a run: Fairlead's own, with the states that it stored of the agents' clones. It has no hooks and no
 * configuration of an agent, and git never reads those of a clone. It borrows the objects of the person's repository.
 */
export class RunRepository {
  readonly folder: string;
  readonly #home: Home;
  readonly #run: string;

  constructor(home: Home, run: string) {
    this.#home = home;
    this.#run = run;
    this.folder = home.runRepository(run);
  }

  get #originFile(): string {
    return join(this.folder, "origin.json");
  }

  /** Creates the repository, unless an earlier attempt has. Throws `not-supported` for a folder that is not in a repository. */
  async create(workspace: string): Promise<RunOrigin> {
    if (existsSync(this.#originFile)) return this.readOrigin();
    const repository = await findCopySource(this.#home, workspace);
    const { top, commonFolder } = repository;
    const signal = AbortSignal.timeout(gitTimeout);
    const inRepository = await CopyGit.open({ top, writable: commonFolder, signal });
    const source = { GIT_DIR: repository.folder, GIT_COMMON_DIR: commonFolder, HOME: "/" };
    const base = await inRepository.read(["rev-parse", "HEAD^{commit}"], source, `${top} has no commit`);
    const { code, output } = await inRepository.run(["symbolic-ref", "--quiet", "--short", "HEAD"], source);
    await createBareRepository(this.folder, base.length === 64 ? "sha256" : "sha1");
    await mkdir(join(this.folder, "objects/info"), { recursive: true });
    await mkdir(join(this.folder, "indexes"), { recursive: true });
    await writeFile(alternatesFile(this.folder), formatAlternates([join(commonFolder, "objects")]));
    const shallow = readPlainFile(join(commonFolder, "shallow"), maxShallowBytes);
    if (shallow !== null) await writeFile(join(this.folder, "shallow"), shallow);
    const keep = ["update-ref", baseReference(this.#run), base];
    await inRepository.read(keep, { GIT_DIR: commonFolder, HOME: "/" }, `The base cannot be kept in ${top}`);
    const origin: RunOrigin = { top, commonFolder, base, branch: code === 0 ? output.toString().trim() : null };
    // Last, and at once: a repository with this file is complete.
    await writeFile(`${this.#originFile}.new`, JSON.stringify(origin));
    await rename(`${this.#originFile}.new`, this.#originFile);
    return origin;
  }

  readOrigin(): RunOrigin {
    return RunOrigin.parse(JSON.parse(readPlainFile(this.#originFile, maxOriginBytes) ?? "null"));
  }

  /**
   * Stores the files of a session's clone as a tree and a commit. Its index is kept, so that git reads only files that
   * changed since. What the agent committed, configured or ignored in the clone's own git folder has no effect.
   */
  async snapshot(session: string, parents: readonly string[], message: string): Promise<RunSnapshot> {
    const facts = readCopyFacts(this.#home, session);
    if (facts === null || !existsSync(facts.folder))
      throw new FairleadError("conflict", `The isolated copy of session ${session} no longer exists.`);
    const index = join(this.folder, "indexes", session);
    // Not the usual home, which would be the folder that git can write.
    const env = { GIT_DIR: this.folder, GIT_INDEX_FILE: index, HOME: "/nonexistent" };
    const inClone = async (args: readonly string[], input?: Uint8Array): Promise<string> => {
      const folders = { workspace: facts.folder, top: facts.folder, scratch: this.folder };
      const options = { sandbox: await findGitSandbox(), signal: AbortSignal.timeout(gitTimeout) };
      const result = await runGuardedGit(args, folders, env, options, { limit: listLimit, ...(input && { input }) });
      return readOutput(result, "The files of the clone cannot be stored");
    };
    // A git that was killed leaves its lock. No other process uses this index.
    await rm(`${index}.lock`, { force: true });
    if (!existsSync(index)) await inClone(["read-tree", facts.base]);
    // In a nested repository that is in the index, git would run the filters that the agent configured there.
    const nested = await listNestedRepositories(inClone);
    const forget = nested.map(({ path }) => `0 ${"0".repeat(facts.base.length)}\t${path}\0`).join("");
    if (nested.length > 0) await inClone(["update-index", "-z", "--index-info"], Buffer.from(forget));
    const excludes = join(facts.commonFolder, "info/exclude");
    await inClone(["-c", `core.excludesFile=${excludes}`, "-c", "core.bare=false", "add", "--all", "--", "."]);
    const added = await listNestedRepositories(inClone);
    const known = new Map((await this.#listSubmodules(facts.base)).map(({ path, commit }) => [path, commit]));
    const unknown = added.filter(({ path }) => !known.has(path)).map(({ path }) => path);
    // Only a reference to its commit would be stored. A reviewer could not read it, and nobody would get it.
    if (unknown.length > 0) {
      await rm(index, { force: true });
      throw new FairleadError(
        "conflict",
        `The clone has a repository in it, whose files cannot be stored: ${unknown.join(", ")}.`,
      );
    }
    // The submodules of the person's repository stay as they are.
    const restore = [...known].map(([path, commit]) => `160000 ${commit}\t${path}\0`).join("");
    if (known.size > 0) await inClone(["update-index", "-z", "--index-info"], Buffer.from(restore));
    const tree = await inClone(["write-tree"]);
    return await this.#commit(tree, parents, message);
  }

  async #listSubmodules(commit: string): Promise<NestedRepository[]> {
    const result = await this.#git(["ls-tree", "-r", "-z", commit], { limit: listLimit });
    return readOutput(result, `There is no commit ${commit}`)
      .split("\0")
      .flatMap((line) => {
        const [, id, path] = /^160000 commit ([0-9a-f]+)\t([^]*)$/.exec(line) ?? [];
        return id === undefined || path === undefined ? [] : [{ path, commit: id }];
      });
  }

  /** Lists those of the paths whose files have conflict markers in a commit. */
  async listConflicted(commit: string, paths: readonly string[]): Promise<string[]> {
    if (paths.length === 0) return [];
    const args = ["--literal-pathspecs", "grep", "-l", "-z", "-e", "^<<<<<<< ", commit, "--", ...paths];
    const { code, output, stderr } = await this.#git(args, { limit: listLimit });
    if (code !== 0 && code !== 1)
      throw new FairleadError("conflict", `The commit cannot be searched: ${stderr.trim()}`);
    return output
      .toString()
      .split("\0")
      .flatMap((path) => (path === "" ? [] : [path.slice(commit.length + 1)]));
  }

  /** Merges two commits. With conflicts, the tree has the files with conflict markers. */
  async merge(ours: string, theirs: string, message: string): Promise<TreeMerge> {
    const { code, output, stderr } = await this.#git(
      ["merge-tree", "--write-tree", "-z", "--name-only", ours, theirs],
      {
        limit: listLimit,
      },
    );
    if (code !== 0 && code !== 1) throw new FairleadError("conflict", `The work cannot be merged: ${stderr.trim()}`);
    const [tree = "", ...rest] = output.toString().split("\0");
    const conflicts = code === 0 ? [] : rest.slice(0, rest.indexOf(""));
    return { ...(await this.#commit(tree, [ours, theirs], message)), conflicts: [...new Set(conflicts)] };
  }

  /** Counts what differs between two commits. */
  async compare(from: string, to: string): Promise<CommitStatistics> {
    const result = await this.#git(["diff-tree", "-r", "-z", "--numstat", "--no-renames", from, to], {
      limit: listLimit,
    });
    const lines = readOutput(result, "The commits cannot be compared")
      .split("\0")
      .filter((line) => line !== "");
    const sum = (index: number): number =>
      lines.reduce((total, line) => total + (Number.parseInt(line.split("\t")[index] ?? "", 10) || 0), 0);
    return { files: lines.length, added: sum(0), removed: sum(1) };
  }

  /** Lists the paths that differ between two commits. */
  async listChangedPaths(from: string, to: string): Promise<string[]> {
    const result = await this.#git(["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to], {
      limit: listLimit,
    });
    return readOutput(result, "The commits cannot be compared")
      .split("\0")
      .filter((path) => path !== "");
  }

  /** Returns the beginning of the patch between two commits. */
  async readPatch(from: string, to: string, limit: number): Promise<string> {
    const args = ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", from, to];
    const { output, isTruncated } = await this.#git(args, { limit });
    return `${output.toString()}${isTruncated ? "\n[the rest of the patch is left out]" : ""}`;
  }

  async readTree(commit: string): Promise<string> {
    return readOutput(await this.#git(["rev-parse", `${commit}^{tree}`]), `There is no commit ${commit}`);
  }

  /**
   * Creates a repository with this one's objects, and nothing else of it, and passes its folder on. A push reads the
   * configuration of the repository that it is made from, and runs outside of every sandbox.
   */
  async withCleanRepository<Result>(commit: string, act: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = await mkdtemp(join(await realpath(tmpdir()), "fairlead-push-"));
    try {
      await createBareRepository(folder, commit.length === 64 ? "sha256" : "sha1");
      await mkdir(join(folder, "objects/info"), { recursive: true });
      await writeFile(alternatesFile(folder), formatAlternates([join(this.folder, "objects")]));
      const shallow = readPlainFile(join(this.folder, "shallow"), maxShallowBytes);
      if (shallow !== null) await writeFile(join(folder, "shallow"), shallow);
      return await act(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes the clone of a session that has ended, with all files in it. Its events stay. */
  async discard(session: string): Promise<void> {
    const folders: string[] = [];
    await discardCopy(this.#home, session, (folder) => void folders.push(folder));
    // A command may have left folders that cannot be removed. They are no reason to end a run.
    for (const folder of folders) await rm(folder, { recursive: true, force: true }).catch(() => {});
  }

  async #commit(tree: string, parents: readonly string[], message: string): Promise<RunSnapshot> {
    const person = "Fairlead";
    const env = {
      GIT_AUTHOR_NAME: person,
      GIT_AUTHOR_EMAIL: "fairlead@localhost",
      GIT_COMMITTER_NAME: person,
      GIT_COMMITTER_EMAIL: "fairlead@localhost",
    };
    const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
    const input = Buffer.from(message);
    const commit = readOutput(await this.#git(args, { input }, env), "The commit cannot be written");
    // Git would remove commits without a reference one day.
    readOutput(await this.#git(["update-ref", `refs/snapshots/${commit}`, commit]), "The commit cannot be kept");
    return { tree, commit };
  }

  async #git(
    args: readonly string[],
    options?: GitRunOptions,
    env: Readonly<Record<string, string>> = {},
  ): Promise<BoundedRunResult> {
    const { folder } = this;
    const folders = { workspace: folder, top: folder, scratch: folder };
    const guard = { sandbox: await findGitSandbox(), signal: AbortSignal.timeout(gitTimeout) };
    return await runGitCommand(args, folders, { GIT_DIR: folder, ...env }, guard, options);
  }
}

/** A repository in the working tree of another one, of which only a commit is stored. */
interface NestedRepository {
  readonly path: string;
  readonly commit: string;
}

async function listNestedRepositories(git: (args: readonly string[]) => Promise<string>): Promise<NestedRepository[]> {
  const lines = (await git(["ls-files", "-z", "--stage"])).split("\0");
  return lines.flatMap((line) => {
    const [, commit, path] = /^160000 ([0-9a-f]+) \d\t([^]*)$/.exec(line) ?? [];
    return commit === undefined || path === undefined ? [] : [{ path, commit }];
  });
}

function readOutput({ code, output, stderr, isTruncated }: BoundedRunResult, problem: string): string {
  if (code === 0 || isTruncated) return output.toString().trimEnd();
  throw new FairleadError("conflict", `${problem}: ${stderr.trim() || `git ended with ${code}`}`);
}
