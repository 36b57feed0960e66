import { copyFile, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { listLimit, requireSuccess, runGuardedGit, type GuardedGitOptions } from "./guarded-git.ts";
import { findGitRepository, type GitRepository } from "./find-git-repository.ts";
import { readPlainFile } from "../host/read-plain-file.ts";
import type { BoundedRunResult } from "./run-bounded.ts";

/** Size limit of the list of a shallow repository's oldest commits, in bytes. */
export const maxShallowBytes = 4 * 1024 * 1024;

/**
 * Reads a repository in which an agent works. Without a sandbox the agent can write to `.git/config`, and git runs many of
 * its values as commands. So git uses a separate repository in a scratch folder, which knows only the path of the agent's objects. From
 * the agent's repository, git reads only that path, the object format, the exclude file's path and HEAD.
 */
export class RepositoryInspector implements AsyncDisposable {
  readonly #workspace: string;
  readonly #repository: GitRepository;
  readonly #scratch: string;
  readonly #options: GuardedGitOptions;
  #objects = "";

  private constructor(workspace: string, repository: GitRepository, scratch: string, options: GuardedGitOptions) {
    this.#workspace = workspace;
    this.#repository = repository;
    this.#scratch = scratch;
    this.#options = options;
  }

  /** Opens the repository of a workspace. Returns null if there is none. */
  static async open(workspace: string, options: GuardedGitOptions): Promise<RepositoryInspector | null> {
    const folder = await realpath(workspace).catch((error: NodeJS.ErrnoException) => {
      const isGone = error.code === "ENOENT" || error.code === "ENOTDIR";
      const problem = isGone ? "no longer exists" : "cannot be read";
      throw new FairleadError("conflict", `The workspace ${workspace} ${problem}.`, { cause: error });
    });
    const repository = await findGitRepository(folder);
    if (repository === null) return null;
    const scratch = await mkdtemp(join(await realpath(tmpdir()), "fairlead-review-"));
    const inspector = new RepositoryInspector(folder, repository, scratch, options);
    try {
      await inspector.#prepare();
    } catch (error) {
      await inspector[Symbol.asyncDispose]();
      throw error;
    }
    return inspector;
  }

  /** Reads the commit id of HEAD. Returns null if there is no commit yet. Does not read the commit: that could start a fetch. */
  async readHead(): Promise<string | null> {
    const { code, output } = await this.#run(["rev-parse", "--verify", "--quiet", "HEAD"], this.#agentRepositoryEnv);
    return code === 0 ? output.toString().trim() : null;
  }

  /** Reads a commit into the separate index. Takes the stat data of unchanged files from another index, if there is one. */
  async readTree(commit: string, index: string | undefined): Promise<void> {
    const own = join(this.#scratch, "git/index");
    const isCopied =
      index !== undefined &&
      (await copyFile(index, own).then(
        () => true,
        () => false,
      ));
    if (isCopied && (await this.runGit(["read-tree", "-m", commit])).code === 0) return;
    await rm(own, { force: true });
    await requireSuccess(this.runGit(["read-tree", commit]));
  }

  /**
   * Adds untracked files to the separate index, without their content. Returns false if there are too many. Names each
   * file: `git add --all` would start another git in each nested repository, with the configuration of that one.
   */
  async addNewFilesToIndex(): Promise<boolean> {
    const { output, isTruncated } = await this.#listNewFiles();
    const names = output.subarray(0, output.lastIndexOf(0) + 1);
    if (names.length === 0) return !isTruncated;
    const list = join(this.#scratch, "new-files");
    await writeFile(list, names);
    const pathspecFlags = [`--pathspec-from-file=${list}`, "--pathspec-file-nul"];
    // git fails for an unreadable file and for a nested repository without a commit, but still adds the others.
    await this.runGit([
      "--literal-pathspecs",
      "add",
      "--force",
      "--intent-to-add",
      "--ignore-errors",
      ...pathspecFlags,
    ]);
    return !isTruncated;
  }

  /** Lists what the agent's repository refers to: each reference with its object, and HEAD if it has a commit. */
  async listReferences(): Promise<{ readonly name: string; readonly object: string }[]> {
    const format = "--format=%(objectname) %(refname)";
    const listing = this.#run(["for-each-ref", format], this.#agentRepositoryEnv, listLimit);
    const lines = (await requireSuccess(listing)).output.toString().split("\n");
    const references = lines.flatMap((line) => {
      const [object = "", name = ""] = line.split(" ");
      return name === "" ? [] : [{ name, object }];
    });
    const head = await this.readHead();
    return head === null ? references : [{ name: "HEAD", object: head }, ...references];
  }

  /** Lists the files that git neither tracks nor ignores, each with a NUL at its end. */
  async listNewFiles(excludesFile?: string): Promise<Buffer> {
    return (await this.#listNewFiles(excludesFile)).output;
  }

  async #listNewFiles(excludesFile?: string): Promise<BoundedRunResult> {
    const file = excludesFile ?? (await this.#revParse("--git-path", "info/exclude")).trim();
    return await requireSuccess(
      this.runGit(["-c", `core.excludesFile=${file}`, "ls-files", "--others", "--exclude-standard", "-z"], listLimit),
    );
  }

  /** Runs git with the separate repository and the agent's working tree. */
  async runGit(args: readonly string[], limit?: number): Promise<BoundedRunResult> {
    const ownRepositoryEnv = { GIT_DIR: join(this.#scratch, "git"), GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#objects };
    return await this.#run(args, ownRepositoryEnv, limit);
  }

  async #prepare(): Promise<void> {
    const [format = "sha1", objects = ""] = (
      await this.#revParse("--show-object-format", "--git-path", "objects")
    ).split("\n");
    this.#objects = JSON.stringify(objects); // git unquotes this variable like a C string; a path may contain colons
    await requireSuccess(this.runGit(["init", "--quiet", "--template=", `--object-format=${format}`]));
    // Without it, git would look for the parents of the oldest commits of a shallow repository.
    const shallow = readPlainFile(join(this.#repository.commonFolder, "shallow"), maxShallowBytes);
    if (shallow !== null) await writeFile(join(this.#scratch, "git/shallow"), shallow);
  }

  async #revParse(...args: string[]): Promise<string> {
    const result = this.#run(["rev-parse", "--path-format=absolute", ...args], this.#agentRepositoryEnv);
    return (await requireSuccess(result)).output.toString();
  }

  get #agentRepositoryEnv(): Record<string, string> {
    const { folder, commonFolder } = this.#repository;
    return { GIT_DIR: folder, GIT_COMMON_DIR: commonFolder };
  }

  #run(
    args: readonly string[],
    repositoryEnv: Readonly<Record<string, string>>,
    limit?: number,
  ): Promise<BoundedRunResult> {
    const folders = { workspace: this.#workspace, top: this.#repository.top, scratch: this.#scratch };
    return runGuardedGit(args, folders, repositoryEnv, this.#options, limit === undefined ? {} : { limit });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true });
  }
}
