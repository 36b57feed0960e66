import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { GitSandbox } from "./git-sandbox.ts";
import { findGitRepository, type GitRepository } from "./find-git-repository.ts";
import { type BoundedRunResult, runBounded } from "./run-bounded.ts";

export interface RepositoryInspectorOptions {
  readonly sandbox: GitSandbox;
  readonly signal: AbortSignal;
}

/**
 * Without the user's and the system's configuration, prompts, locks, and fetches of objects that a partial clone lacks.
 * `core.fsmonitor` and `core.hooksPath` are the keys by which even a harmless command starts programs.
 */
const flags = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false"];
const environment = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  LC_ALL: "C",
};
const outputLimit = 64 * 1024;
const listLimit = 16 * 1024 * 1024;

/**
 * Reads a repository in which an agent works. Without a sandbox the agent can write to `.git/config`, and git runs many of
 * its values as commands. So git uses a separate repository in a scratch folder, which knows only the path of the agent's objects. From
 * the agent's repository, git reads only that path, the object format, the exclude file's path and HEAD.
 */
export class RepositoryInspector implements AsyncDisposable {
  readonly #workspace: string;
  readonly #repository: GitRepository;
  readonly #scratch: string;
  readonly #options: RepositoryInspectorOptions;
  #objects = "";

  private constructor(
    workspace: string,
    repository: GitRepository,
    scratch: string,
    options: RepositoryInspectorOptions,
  ) {
    this.#workspace = workspace;
    this.#repository = repository;
    this.#scratch = scratch;
    this.#options = options;
  }

  /** Opens the repository of a workspace. Returns null if there is none. */
  static async open(workspace: string, options: RepositoryInspectorOptions): Promise<RepositoryInspector | null> {
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
    const { code, output } = await this.#run(
      ["rev-parse", "--verify", "--quiet", "HEAD"],
      this.#agentRepositoryEnv,
      outputLimit,
    );
    return code === 0 ? output.toString().trim() : null;
  }

  /**
   * Adds untracked files to the separate index, without their content. Returns false if there are too many. Names each
   * file: `git add --all` would start another git in each nested repository, with the configuration of that one.
   */
  async addNewFilesToIndex(): Promise<boolean> {
    const excludes = `core.excludesFile=${(await this.#revParse("--git-path", "info/exclude")).trim()}`;
    const listing = this.runGit(["-c", excludes, "ls-files", "--others", "--exclude-standard", "-z"], listLimit);
    const { output, isTruncated } = await requireSuccess(listing);
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

  /** Runs git with the separate repository and the agent's working tree. */
  async runGit(args: readonly string[], limit: number = outputLimit): Promise<BoundedRunResult> {
    const ownRepositoryEnv = { GIT_DIR: join(this.#scratch, "git"), GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#objects };
    return await this.#run(args, ownRepositoryEnv, limit);
  }

  async #prepare(): Promise<void> {
    const [format = "sha1", objects = ""] = (
      await this.#revParse("--show-object-format", "--git-path", "objects")
    ).split("\n");
    this.#objects = JSON.stringify(objects); // git unquotes this variable like a C string; a path may contain colons
    await requireSuccess(this.runGit(["init", "--quiet", "--template=", `--object-format=${format}`]));
  }

  async #revParse(...args: string[]): Promise<string> {
    const result = this.#run(["rev-parse", "--path-format=absolute", ...args], this.#agentRepositoryEnv, outputLimit);
    return (await requireSuccess(result)).output.toString();
  }

  get #agentRepositoryEnv(): Record<string, string> {
    const { folder, commonFolder } = this.#repository;
    return { GIT_DIR: folder, GIT_COMMON_DIR: commonFolder };
  }

  async #run(
    args: readonly string[],
    repositoryEnv: Readonly<Record<string, string>>,
    limit: number,
  ): Promise<BoundedRunResult> {
    const { sandbox, signal } = this.#options;
    const folderEnv = {
      PATH: await this.#findPath(),
      HOME: this.#scratch,
      TMPDIR: this.#scratch,
      GIT_WORK_TREE: this.#repository.top,
    };
    const env = { ...environment, ...folderEnv, ...repositoryEnv };
    const command = sandbox(["git", ...flags, ...args], this.#scratch, this.#repository.top);
    try {
      return await runBounded(command, { cwd: this.#workspace, env, limit, signal });
    } catch (cause) {
      if (signal.aborted)
        throw new FairleadError("timed-out", "Reading the changes of the workspace took too long.", { cause });
      throw new FairleadError("unavailable", "git could not be started. Check that it is installed and in PATH.", {
        cause,
      });
    }
  }

  /** The folders on the PATH without those of the workspace, in which an agent could create a program `git`. */
  async #findPath(): Promise<string> {
    const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
    const targets = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
    const isWritable = (path: string): boolean => `${path}/`.startsWith(`${this.#repository.top}/`);
    return folders.filter((_, index) => !isWritable(targets[index] ?? "/")).join(delimiter);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true });
  }
}

/** Returns the result of a git command, or throws its error output. */
export async function requireSuccess(pending: Promise<BoundedRunResult>): Promise<BoundedRunResult> {
  const result = await pending;
  if (result.code === 0 || result.isTruncated) return result;
  throw new FairleadError("unavailable", `git could not read the changes of the workspace: ${result.stderr.trim()}`);
}
