import { readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { findGitRepository, type GitRepository } from "../review/find-git-repository.ts";
import type { GitSandbox } from "../review/git-sandbox.ts";
import { listLimit, requireSuccess, runGuardedGit, type GitRunOptions } from "../review/guarded-git.ts";
import { readStartCommit } from "../review/read-start-commit.ts";
import type { BoundedRunResult } from "../review/run-bounded.ts";
import { createBareRepository, writeCommit } from "./bare-repository.ts";
import { classifyPaths, type ClassifiedPath } from "./classify-paths.ts";
import {
  decodePath,
  joinList,
  parseNameStatus,
  parseStatus,
  type RawPath,
  type StatusEntry,
  type TreeChange,
} from "./parse-git-lists.ts";

export interface KeptIndexOptions {
  /** Where the index is kept. Only this class writes to it. */
  readonly folder: string;
  readonly workspace: string;
  /** A folder whose files are left out: the data directory, which changes with every comparison. */
  readonly excluded: string;
  readonly sandbox: GitSandbox;
  /** More changed files than this are not compared. */
  readonly maxFiles?: number;
}

/** The state of the workspace, and what changed since an earlier one. Paths are relative to the workspace. */
export interface Comparison {
  readonly from: string;
  readonly tree: string;
  /** When the workspace was read, in milliseconds since 1970. What changed before is in the tree. */
  readonly readAt: number;
  /** The paths that differ from the index before, and when each of them last changed. */
  readonly changed: readonly { readonly path: RawPath; readonly at: number }[];
  readonly changes: readonly { readonly path: string; readonly change: TreeChange["change"] }[];
}

const KeptIndexFacts = z.object({
  version: z.literal(1),
  workspace: z.string(),
  top: z.string(),
  /** The commit of the workspace when the index was created. Its files are not stored again. */
  commit: z.string().nullable(),
  baseline: z.string(),
});
type KeptIndexFacts = z.infer<typeof KeptIndexFacts>;

const defaultMaxFiles = 50_000;
/** The content of a larger file is not stored. Its changes are seen. */
const maxStoredBytes = 4 * 1024 ** 2;
/** The content that one object of this class stores. */
const storageBudget = 512 * 1024 ** 2;
const maxSplits = 64;

/** The untracked cache spares git from reading folders that have not changed. */
const keptFlags = ["core.untrackedCache=true", "status.showUntrackedFiles=all", "core.fsync=none", "gc.auto=0"];
/**
 * A git index of a workspace that is kept between comparisons, in a repository outside the workspace. Git reads only the
 * files whose stat data changed. The agent's repository is not used, except for its objects and its first commit: the
 * agent may configure programs in it. Without a repository, all files of the workspace are in the index.
 */
export class KeptIndex {
  readonly #options: KeptIndexOptions;
  readonly #facts: KeptIndexFacts;
  readonly #repository: GitRepository | null;
  #tree: string | null = null;
  #storedBytes = 0;

  private constructor(options: KeptIndexOptions, facts: KeptIndexFacts, repository: GitRepository | null) {
    this.#options = options;
    this.#facts = facts;
    this.#repository = repository;
  }

  /** The workspace with links resolved. */
  get root(): string {
    return this.#facts.workspace;
  }

  /** The path of the workspace in its repository, with a slash; empty if it is the top. */
  get prefix(): string {
    const { top, workspace } = this.#facts;
    return workspace === top ? "" : `${relative(top, workspace)}/`;
  }

  /** The tree of the workspace when the index was created. */
  get baseline(): string {
    return this.#facts.baseline;
  }

  /** Opens the index that an earlier process kept. Returns null if there is none that can be used. */
  static async open(options: KeptIndexOptions): Promise<KeptIndex | null> {
    const text = await readFile(join(options.folder, "index.json"), "utf8").catch(() => "null");
    const facts = KeptIndexFacts.safeParse(parseJson(text)).data;
    if (facts === undefined || facts.workspace !== (await realpath(options.workspace))) return null;
    const repository = await findGitRepository(facts.workspace);
    return new KeptIndex(options, facts, repository?.top === facts.top ? repository : null);
  }

  /**
   * Creates the index. What changed at or after `since` is not part of its baseline: an agent may have begun to work
   * before the index was complete. Files that were deleted by then are missed.
   */
  static async create(options: KeptIndexOptions, since: number, signal: AbortSignal): Promise<KeptIndex> {
    const workspace = await realpath(options.workspace);
    const repository = await findGitRepository(workspace);
    const top = repository?.top ?? workspace;
    const commit = (await readStartCommit(workspace)) ?? null;
    const facts: KeptIndexFacts = { version: 1, workspace, top, commit, baseline: "" };
    const index = new KeptIndex(options, facts, repository);
    const { folder } = options;
    await rm(folder, { recursive: true, force: true });
    await index.#initialize(signal);
    const paths = await classifyPaths(top, await index.#readStatus(signal));
    await index.#store(
      paths.filter(({ changedAt }) => changedAt < since),
      signal,
    );
    const baseline = await index.#writeTree(signal);
    await writeFile(join(folder, "index.json"), JSON.stringify({ ...facts, baseline }));
    const kept = new KeptIndex(options, { ...facts, baseline }, repository);
    kept.#tree = baseline;
    return kept;
  }

  /** Brings the index up to date and lists what changed since an earlier tree. */
  async compare(from: string, signal: AbortSignal): Promise<Comparison> {
    // A git that was killed leaves its lock. No other process uses this index.
    for (const name of ["index", "other-index"])
      await rm(join(this.#options.folder, `git/${name}.lock`), { force: true });
    this.#tree ??= (await this.git(["rev-parse", "HEAD^{tree}"], signal)).output.toString().trim();
    const readAt = Date.now();
    const paths = await classifyPaths(this.#facts.top, await this.#readStatus(signal));
    if (await this.#store(paths, signal)) this.#tree = await this.#writeTree(signal);
    const changed = paths.map(({ path, changedAt, folderChangedAt }) => ({ path, at: folderChangedAt ?? changedAt }));
    if (this.#tree === from) return { from, tree: from, readAt, changed, changes: [] };
    const list = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", from, this.#tree];
    const { output } = await this.git(list, signal, { limit: listLimit });
    return {
      from,
      tree: this.#tree,
      readAt,
      changed,
      changes: parseNameStatus(output).flatMap((change) => this.#toChange(change)),
    };
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    const { top, commit } = this.#facts;
    await createBareRepository(join(this.#options.folder, "git"), commit?.length === 64 ? "sha256" : "sha1");
    const excluded = relative(top, await realpath(this.#options.excluded).catch(() => this.#options.excluded));
    const isInside = excluded !== "" && !excluded.startsWith(`..${sep}`) && excluded !== "..";
    const pattern = `/${excluded.replaceAll(/[\\*?[\]!# ]/g, (character) => `\\${character}`)}/\n`;
    await writeFile(join(this.#options.folder, "git/info/exclude"), isInside ? pattern : "");
    if (commit === null) return;
    await this.git(["read-tree", commit], signal);
    await this.#writeHead(commit);
  }

  /** Lists the paths of the workspace that differ from the index. */
  async #readStatus(signal: AbortSignal): Promise<StatusEntry[]> {
    const { workspace, top } = this.#facts;
    // A nested repository would be read with its own configuration, if git were to check whether it is dirty.
    const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"];
    // With a path, git does not use the untracked cache.
    const scope = workspace === top ? [] : ["--", relative(top, workspace)];
    const command = ["--literal-pathspecs", ...args, ...scope];
    const { output, isTruncated } = await this.git(command, signal, { limit: listLimit });
    const entries = parseStatus(output);
    const { maxFiles = defaultMaxFiles } = this.#options;
    if (isTruncated || entries.length > maxFiles)
      throw new FairleadError("unavailable", `The workspace has more than ${maxFiles} files that git does not track.`);
    return entries;
  }

  /** Puts the paths into the index. Returns whether there were any. */
  async #store(paths: readonly ClassifiedPath[], signal: AbortSignal): Promise<boolean> {
    const gone = paths.filter(({ kind }) => kind === "gone");
    const content = paths.filter(({ kind }) => kind === "content");
    const isStored = (one: ClassifiedPath): boolean => {
      if (one.bytes > maxStoredBytes || this.#storedBytes + one.bytes > storageBudget) return false;
      this.#storedBytes += one.bytes;
      return true;
    };
    const { stored = [], hashed = [] } = Object.groupBy(content, (one) => (isStored(one) ? "stored" : "hashed"));
    await this.#updateIndex(
      ["--force-remove"],
      gone.map(({ path }) => path),
      signal,
    );
    await this.#updateIndex(
      ["--add", "--remove", "--replace"],
      stored.map(({ path }) => path),
      signal,
    );
    await this.#updateIndex(
      ["--add", "--remove", "--replace", "--info-only"],
      hashed.map(({ path }) => path),
      signal,
    );
    return gone.length + content.length > 0;
  }

  /** Splits a list that git rejects: one path that changed meanwhile must not keep the others out of the index. */
  async #updateIndex(flags: readonly string[], paths: RawPath[], signal: AbortSignal): Promise<void> {
    const lists = [paths];
    for (let runs = 0; runs < maxSplits; runs += 1) {
      const list = lists.pop();
      if (list === undefined) return;
      if (list.length === 0) continue;
      const args = ["update-index", "-z", ...flags, "--stdin"];
      const { code } = await this.#runKept(args, signal, { input: joinList(list) });
      const middle = Math.ceil(list.length / 2);
      if (code !== 0 && list.length > 1) lists.push(list.slice(middle), list.slice(0, middle));
    }
  }

  /** Writes the index as a tree and makes it HEAD, with which `git status` compares. `--missing-ok`: not all is stored. */
  async #writeTree(signal: AbortSignal): Promise<string> {
    const tree = (await this.git(["write-tree", "--missing-ok"], signal)).output.toString().trim();
    if (tree === this.#tree) return tree;
    await this.#writeHead(await writeCommit(join(this.#options.folder, "git"), tree));
    return tree;
  }

  /** Writes a tree with other entries than this one has, given as `git update-index --index-info` reads them. */
  async writeTreeWith(tree: string, entries: Buffer, signal: AbortSignal): Promise<string> {
    const variables = { GIT_INDEX_FILE: join(this.#options.folder, "git/other-index") };
    const git = (args: readonly string[], input: Uint8Array = Buffer.alloc(0)): Promise<BoundedRunResult> =>
      requireSuccess(this.#runKept(args, signal, { input }, variables));
    await git(["read-tree", tree]);
    await git(["update-index", "-z", "--add", "--replace", "--index-info"], entries);
    return (await git(["write-tree", "--missing-ok"])).output.toString().trim();
  }

  async #writeHead(commit: string): Promise<void> {
    await writeFile(join(this.#options.folder, "git/HEAD"), `${commit}\n`);
  }

  #toChange({ path, change }: TreeChange): Comparison["changes"] {
    const { prefix } = this;
    const decoded = decodePath(path);
    return decoded.startsWith(prefix) ? [{ path: decoded.slice(prefix.length), change }] : [];
  }

  /** Runs git in the repository of the index. */
  git(args: readonly string[], signal: AbortSignal, options?: GitRunOptions): Promise<BoundedRunResult> {
    return requireSuccess(this.#runKept(args, signal, options));
  }

  #runKept(
    args: readonly string[],
    signal: AbortSignal,
    options?: GitRunOptions,
    variables?: Readonly<Record<string, string>>,
  ): Promise<BoundedRunResult> {
    const commonFolder = this.#repository?.commonFolder;
    const shared = commonFolder === undefined ? [] : [`core.excludesFile=${join(commonFolder, "info/exclude")}`];
    const flags = [...keptFlags, ...shared].flatMap((flag) => ["-c", flag]);
    const env = {
      ...variables,
      GIT_DIR: join(this.#options.folder, "git"),
      GIT_OPTIONAL_LOCKS: "1", // `git status` stores the stat data that it has read
      // git unquotes this variable like a C string; a path may contain colons
      ...(commonFolder !== undefined &&
        this.#facts.commit !== null && {
          GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(commonFolder, "objects")),
        }),
    };
    return this.#run([...flags, ...args], env, signal, options);
  }

  #run(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
    options?: GitRunOptions,
  ): Promise<BoundedRunResult> {
    const { top } = this.#facts;
    const { folder: scratch, sandbox } = this.#options;
    // In the top folder, because `git update-index` takes paths relative to the current one.
    return runGuardedGit(args, { workspace: top, top, scratch }, env, { sandbox, signal }, options);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
