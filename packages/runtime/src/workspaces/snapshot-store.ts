import { renameSync, writeFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { z } from "zod";
import { createBareRepository, writeCommit, type CommitFacts } from "../files/bare-repository.ts";
import { classifyPaths } from "../files/classify-paths.ts";
import { joinList, parseStatus, type RawPath } from "../files/parse-git-lists.ts";
import { PlainFile, readPlainFile } from "../host/read-plain-file.ts";
import type { BoundedRunResult } from "../review/run-bounded.ts";
import { listLimit, requireSuccess, runGuardedGit, type GitRunOptions } from "../review/guarded-git.ts";
import { packTrees } from "./pack-trees.ts";
import { writeRawAttributes } from "./raw-attributes.ts";
import { findSnapshotSandbox } from "./snapshot-sandbox.ts";

const StoreState = z.object({
  version: z.literal(1),
  /** The newest snapshot, or the commit that the workspace began with. */
  commit: z.string(),
  tree: z.string(),
  /** The newest commit that the repository has for certain. */
  pushed: z.string(),
  /** Whether the repository has a snapshot of this session. */
  hasReference: z.boolean(),
  /** The number of snapshots whose objects are in the store. */
  snapshots: z.number(),
});
type StoreState = z.infer<typeof StoreState>;

export interface NewStore {
  /** The folder of the store. Only Fairlead can write to it. */
  readonly folder: string;
  readonly workspace: string;
  /** The commit that the workspace has, and a git folder with its objects, which no agent can write. */
  readonly commit: string;
  readonly source: string;
  /** An index of the commit with stat data of the workspace, whose files are those of the commit byte by byte. */
  readonly index?: string;
  readonly hasReference: boolean;
  readonly signal: AbortSignal;
}

const maxStateBytes = 64 * 1024;
/** Paths that are stored at once. A snapshot that is interrupted keeps what earlier parts have stored. */
const partLength = 2000;
const maxSnapshots = 200;
/** Lists that git refused and that were split. */
const maxSplits = 64;
/** With one sync for all objects of a command, instead of one for each. */
const settings = [
  "core.untrackedCache=true",
  "status.showUntrackedFiles=all",
  "gc.auto=0",
  "core.fsync=loose-object",
  "core.fsyncMethod=batch",
];

/**
 * The objects and the index from which snapshots of one session are made, outside the workspace. Git reads no file of the
 * workspace's `.git` but `info/exclude`, which has patterns only. Unchanged files are not in the store: the repository has them.
 */
export class SnapshotStore {
  readonly #folder: string;
  readonly #workspace: string;
  #state: StoreState;

  private constructor(folder: string, workspace: string, state: StoreState) {
    this.#folder = folder;
    this.#workspace = workspace;
    this.#state = state;
  }

  get state(): Readonly<StoreState> {
    return this.#state;
  }

  get gitFolder(): string {
    return join(this.#folder, "git");
  }

  /** Opens the store of an earlier snapshot. Returns null if there is none that can be used. */
  static open(folder: string, workspace: string): SnapshotStore | null {
    try {
      const text = readPlainFile(join(folder, "state.json"), maxStateBytes);
      const state = text === null ? undefined : StoreState.safeParse(JSON.parse(text)).data;
      return state === undefined ? null : new SnapshotStore(folder, workspace, state);
    } catch {
      return null;
    }
  }

  /** Creates the store of a workspace that has the files of a commit. */
  static async create({
    folder,
    workspace,
    commit,
    source,
    index,
    hasReference,
    signal,
  }: NewStore): Promise<SnapshotStore> {
    const state = { version: 1, commit, tree: "", pushed: commit, hasReference, snapshots: 0 } as const;
    const store = new SnapshotStore(folder, workspace, state);
    const { gitFolder } = store;
    for (const name of ["state.json", "git"]) await rm(join(folder, name), { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await createBareRepository(gitFolder, commit.length === 64 ? "sha256" : "sha1");
    await mkdir(join(gitFolder, "objects/pack"), { recursive: true });
    await writeRawAttributes(gitFolder);
    await packTrees({ commit, source, target: gitFolder, signal });
    await writeFile(join(gitFolder, "HEAD"), `${commit}\n`);
    if (index === undefined) await store.#readFiles(commit, signal);
    else await copyFile(index, join(gitFolder, "index"));
    const tree = (await store.#git(["rev-parse", `${commit}^{tree}`], signal)).output.toString().trim();
    if (hasReference) store.#endHistoryAt(commit);
    store.#write({ ...state, tree });
    return store;
  }

  /** Brings the index up to date with the workspace, and returns its tree. */
  async stage(signal: AbortSignal): Promise<string> {
    // A git that was killed leaves its lock. No other process uses this index.
    await rm(join(this.gitFolder, "index.lock"), { force: true });
    // A nested repository would be read with its own configuration, if git were to check whether it is dirty.
    const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=dirty"];
    const { output, isTruncated } = await this.#git(args, signal, { limit: listLimit });
    if (isTruncated) throw new FairleadError("unavailable", "The workspace has too many changed files for a snapshot.");
    const entries = parseStatus(output);
    if (entries.length === 0) return this.#state.tree;
    const paths = await classifyPaths(this.#workspace, entries);
    const list = (wanted: string): RawPath[] => paths.filter(({ kind }) => kind === wanted).map(({ path }) => path);
    await this.#updateIndex(["--force-remove"], list("gone"), signal);
    await this.#updateIndex(["--add", "--remove", "--replace"], list("content"), signal);
    // Most files are only in the repository.
    return (await this.#git(["write-tree", "--missing-ok"], signal)).output.toString().trim();
  }

  /** Makes a tree the newest snapshot, and returns its commit. */
  async commit(tree: string, facts: Omit<CommitFacts, "parent">): Promise<string> {
    const commit = await writeCommit(this.gitFolder, tree, { ...facts, parent: this.#state.commit });
    this.#write({ ...this.#state, commit, tree, snapshots: this.#state.snapshots + 1 });
    // `git status` compares with it.
    await writeFile(join(this.gitFolder, "HEAD"), `${commit}\n`);
    return commit;
  }

  /** Records that the repository has a snapshot. */
  recordPush(commit: string): void {
    const { hasReference, pushed } = this.#state;
    if (!hasReference) this.#endHistoryAt(pushed);
    this.#write({ ...this.#state, pushed: commit, hasReference: true });
  }

  /**
   * Removes the objects of earlier snapshots, which the repository has: otherwise the store would grow with the session.
   * Without `force`, only after many snapshots.
   */
  async compact(signal: AbortSignal, { force = false } = {}): Promise<void> {
    const { commit, pushed, snapshots } = this.#state;
    if (commit !== pushed || (!force && snapshots < maxSnapshots)) return;
    const target = join(this.#folder, "source/git");
    await rm(join(this.#folder, "source"), { recursive: true, force: true });
    await createBareRepository(target, commit.length === 64 ? "sha256" : "sha1");
    await mkdir(join(target, "objects/pack"), { recursive: true });
    await packTrees({ commit, source: this.gitFolder, target, signal });
    const [objects, old] = [join(this.gitFolder, "objects"), join(this.#folder, "source/old")];
    // A crash in between leaves a damaged store, which is built again.
    await rename(objects, old);
    await rename(join(target, "objects"), objects);
    this.#endHistoryAt(commit);
    await rm(join(this.#folder, "source"), { recursive: true, force: true });
    this.#write({ ...this.#state, snapshots: 0 });
  }

  /** Removes the store if git cannot read it, for example after a loss of power, so that the next snapshot builds it again. */
  async discardIfDamaged(signal: AbortSignal): Promise<void> {
    const { code } = await this.#run(["diff-index", "--cached", "--quiet", "HEAD"], signal);
    if (code !== 0 && code !== 1) await rm(join(this.#folder, "state.json"), { force: true });
  }

  /**
   * Tells git that the parents of a commit are missing. Otherwise it may look for them first, if the clock of a host was wrong,
   * and takes a push for one that does not follow. Only commits that the repository has are accepted there.
   */
  #endHistoryAt(commit: string): void {
    writeFileSync(join(this.gitFolder, "shallow"), `${commit}\n`);
  }

  /** Reads all files of the workspace once, so that later only those are read whose stat data changed. */
  async #readFiles(commit: string, signal: AbortSignal): Promise<void> {
    await this.#git(["read-tree", commit], signal);
    await this.#run(["update-index", "-q", "--refresh"], signal, { limit: listLimit });
  }

  async #updateIndex(flags: readonly string[], paths: readonly RawPath[], signal: AbortSignal): Promise<void> {
    const lists: RawPath[][] = [];
    for (let at = 0; at < paths.length; at += partLength) lists.unshift(paths.slice(at, at + partLength));
    let splits = 0;
    for (let list = lists.pop(); list !== undefined; list = lists.pop()) {
      const args = ["update-index", "-z", ...flags, "--stdin"];
      const { code } = await this.#run(args, signal, { input: joinList(list) });
      if (code === 0 || list.length === 1) continue;
      // Git refuses a list for one path that changed meanwhile, or that is not allowed in a tree.
      const middle = Math.ceil(list.length / 2);
      lists.push(list.slice(middle), list.slice(0, middle));
      splits += 1;
      if (splits > maxSplits)
        throw new FairleadError("unavailable", "The workspace has many files that git refuses to store.");
    }
  }

  async #git(args: readonly string[], signal: AbortSignal, options?: GitRunOptions): Promise<BoundedRunResult> {
    return await requireSuccess(this.#run(args, signal, options));
  }

  async #run(args: readonly string[], signal: AbortSignal, options?: GitRunOptions): Promise<BoundedRunResult> {
    const excludes = `core.excludesFile=${join(this.#workspace, ".git/info/exclude")}`;
    const flags = [...settings, excludes].flatMap((setting) => ["-c", setting]);
    const folders = { workspace: this.#workspace, top: this.#workspace, scratch: this.#folder };
    // `git status` stores the stat data that it has read.
    const env = { GIT_DIR: this.gitFolder, GIT_OPTIONAL_LOCKS: "1" };
    const sandbox = await findSnapshotSandbox();
    return await runGuardedGit([...flags, ...args], folders, env, { sandbox, signal }, options);
  }

  #write(state: StoreState): void {
    this.#state = state;
    const file = join(this.#folder, "state.json");
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
}

async function copyFile(source: string, target: string): Promise<void> {
  await using file = await PlainFile.open(source, Infinity);
  if (file === null) throw new FairleadError("unavailable", "The index of the clone is gone.");
  await writeFile(target, file.chunks());
}
