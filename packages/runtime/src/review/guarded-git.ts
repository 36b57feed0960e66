import { realpath } from "node:fs/promises";
import { delimiter, isAbsolute } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { GitSandbox } from "./git-sandbox.ts";
import { type BoundedRunResult, runBounded } from "./run-bounded.ts";

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
/** Limit of a list of files, in bytes. */
export const listLimit = 16 * 1024 * 1024;

export interface GuardedGitOptions {
  readonly sandbox: GitSandbox;
  readonly signal: AbortSignal;
}

/** Where git runs. */
export interface GitFolders {
  /** The working directory. */
  readonly workspace: string;
  /** The working tree. */
  readonly top: string;
  /** The only folder that git can write to. */
  readonly scratch: string;
}

export interface GitRunOptions {
  /** Limit of the output in bytes. */
  readonly limit?: number;
  readonly input?: Uint8Array;
}

/** Runs git on a working tree that an agent can write to, so that nothing which the agent configured is executed. */
export async function runGuardedGit(
  args: readonly string[],
  folders: GitFolders,
  repositoryEnv: Readonly<Record<string, string>>,
  options: GuardedGitOptions,
  runOptions?: GitRunOptions,
): Promise<BoundedRunResult> {
  return await runGitCommand(args, folders, { GIT_WORK_TREE: folders.top, ...repositoryEnv }, options, runOptions);
}

/** Runs git as `runGuardedGit` does, for commands that need no working tree, or create one. */
export async function runGitCommand(
  args: readonly string[],
  { workspace, top, scratch }: GitFolders,
  repositoryEnv: Readonly<Record<string, string>>,
  { sandbox, signal }: GuardedGitOptions,
  { limit = outputLimit, input }: GitRunOptions = {},
): Promise<BoundedRunResult> {
  const folderEnv = { PATH: await findProgramPath(top), HOME: scratch, TMPDIR: scratch };
  const env = { ...environment, ...folderEnv, ...repositoryEnv };
  const command = sandbox(["git", ...flags, ...args], scratch, top);
  try {
    return await runBounded(command, { cwd: workspace, env, limit, signal, ...(input && { input }) });
  } catch (cause) {
    if (signal.aborted)
      throw new FairleadError("timed-out", "Reading the changes of the workspace took too long.", { cause });
    throw new FairleadError("unavailable", "git could not be started. Check that it is installed and in PATH.", {
      cause,
    });
  }
}

/** The folders on the PATH without those of the workspace, in which an agent could create a program `git`. */
export async function findProgramPath(top: string): Promise<string> {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter(isAbsolute);
  const targets = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const isWritable = (path: string): boolean => `${path}/`.startsWith(`${top}/`);
  return folders.filter((_, index) => !isWritable(targets[index] ?? "/")).join(delimiter);
}

/** Returns the result of a git command, or throws its error output. */
export async function requireSuccess(pending: Promise<BoundedRunResult>): Promise<BoundedRunResult> {
  const result = await pending;
  if (result.code === 0 || result.isTruncated) return result;
  throw new FairleadError("unavailable", `git could not read the changes of the workspace: ${result.stderr.trim()}`);
}
