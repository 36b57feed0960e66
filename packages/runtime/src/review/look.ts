import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { Enclosure } from "./enclosure.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { type Ran, runBounded } from "./run-bounded.ts";

export interface LookOptions {
  readonly enclosure: Enclosure;
  readonly signal: AbortSignal;
}

/**
 * Neither the user's settings nor the system's; no questions, no locks, and no fetching of what a partial clone lacks.
 * The two keys are those by which even a harmless command starts programs.
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
const answerLimit = 64 * 1024;
const listLimit = 16 * 1024 * 1024;

/**
 * One look at a repository in which an agent works. The agent can write to `.git/config`, and much of what stands there
 * is a command that git then runs. So git gets a repository of our own in a scratch folder, which knows only where the
 * objects are; the agent's is asked nothing but where they are and what its HEAD is.
 */
export class Look implements AsyncDisposable {
  readonly #workspace: string;
  readonly #repository: Repository;
  readonly #scratch: string;
  readonly #options: LookOptions;
  #objects = "";

  private constructor(workspace: string, repository: Repository, scratch: string, options: LookOptions) {
    this.#workspace = workspace;
    this.#repository = repository;
    this.#scratch = scratch;
    this.#options = options;
  }

  /** Null when the workspace is in no repository. */
  static async at(workspace: string, options: LookOptions): Promise<Look | null> {
    const folder = await realpath(workspace);
    const repository = await findRepository(folder);
    if (repository === null) return null;
    const scratch = await mkdtemp(join(await realpath(tmpdir()), "fairlead-look-"));
    const look = new Look(folder, repository, scratch, options);
    try {
      await look.#prepare();
    } catch (error) {
      await look[Symbol.asyncDispose]();
      throw error;
    }
    return look;
  }

  /** The commit that HEAD is; null when there is none yet. It is not looked up, for that could start a fetch. */
  async head(): Promise<string | null> {
    const { code, output } = await this.#run(["rev-parse", "--verify", "--quiet", "HEAD"], this.#theirs, answerLimit);
    return code === 0 ? output.toString().trim() : null;
  }

  /**
   * Has our index know of the files that are new, without their content; false when there are too many. They are named
   * one by one: told to add whatever there is, git starts another git in each repository inside, with that one's settings.
   */
  async noteNewFiles(): Promise<boolean> {
    const excludes = `core.excludesFile=${(await this.#ask("--git-path", "info/exclude")).trim()}`;
    const listing = this.git(["-c", excludes, "ls-files", "--others", "--exclude-standard", "-z"], listLimit);
    const { output, isCut } = await demand(listing);
    const names = output.subarray(0, output.lastIndexOf(0) + 1);
    if (names.length === 0) return !isCut;
    const list = join(this.#scratch, "new-files");
    await writeFile(list, names);
    const named = [`--pathspec-from-file=${list}`, "--pathspec-file-nul"];
    // It fails for a file that cannot be read or a repository without a commit, and goes on with the others.
    await this.git(["--literal-pathspecs", "add", "--force", "--intent-to-add", "--ignore-errors", ...named]);
    return !isCut;
  }

  /** Runs git in our own repository, over the agent's files. */
  async git(args: readonly string[], limit: number = answerLimit): Promise<Ran> {
    const ours = { GIT_DIR: join(this.#scratch, "git"), GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#objects };
    return await this.#run(args, ours, limit);
  }

  async #prepare(): Promise<void> {
    const [format = "sha1", objects = ""] = (await this.#ask("--show-object-format", "--git-path", "objects")).split(
      "\n",
    );
    this.#objects = JSON.stringify(objects); // git reads it as C would, and a path may have colons
    await demand(this.git(["init", "--quiet", "--template=", `--object-format=${format}`]));
  }

  async #ask(...what: string[]): Promise<string> {
    const asked = this.#run(["rev-parse", "--path-format=absolute", ...what], this.#theirs, answerLimit);
    return (await demand(asked)).output.toString();
  }

  get #theirs(): Record<string, string> {
    const { folder, common } = this.#repository;
    return { GIT_DIR: folder, GIT_COMMON_DIR: common };
  }

  async #run(args: readonly string[], which: Readonly<Record<string, string>>, limit: number): Promise<Ran> {
    const { enclosure, signal } = this.#options;
    // A relative folder in PATH would be one of the workspace's.
    const path = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute).join(delimiter);
    const places = { PATH: path, HOME: this.#scratch, TMPDIR: this.#scratch, GIT_WORK_TREE: this.#repository.top };
    const env = { ...environment, ...places, ...which };
    const line = enclosure(["git", ...flags, ...args], this.#scratch, this.#repository.top);
    try {
      return await runBounded(line, { cwd: this.#workspace, env, limit, signal });
    } catch (cause) {
      if (signal.aborted) throw new FairleadError("timed-out", "Looking at the changes took too long.", { cause });
      throw new FairleadError("unavailable", "git could not be started.", { cause });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true });
  }
}

/** What a command of git gave, or its complaint as an error. */
export async function demand(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code === 0 || ran.isCut) return ran;
  throw new FairleadError("unavailable", `git could not tell what has changed: ${ran.complaint.trim()}`);
}
