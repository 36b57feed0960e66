import { FairleadError } from "@fairlead/contract";
import { findGitSandbox, type GitSandbox } from "../review/git-sandbox.ts";
import { runGitCommand, type GitRunOptions } from "../review/guarded-git.ts";
import type { BoundedRunResult } from "../review/run-bounded.ts";

export interface CopyGitOptions {
  readonly signal: AbortSignal;
  /** The working tree of the person's repository. */
  readonly top: string;
  /** The only folder that git can write to. */
  readonly writable: string;
}

/** Runs git on a person's repository or on a copy, without hooks and without the configuration of the user. */
export class CopyGit {
  readonly #options: CopyGitOptions;
  readonly #sandbox: GitSandbox;

  private constructor(options: CopyGitOptions, sandbox: GitSandbox) {
    this.#options = options;
    this.#sandbox = sandbox;
  }

  static async open(options: CopyGitOptions): Promise<CopyGit> {
    return new CopyGit(options, await findGitSandbox());
  }

  async run(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    options?: GitRunOptions,
  ): Promise<BoundedRunResult> {
    const { signal, top, writable } = this.#options;
    const folders = { workspace: writable, top, scratch: writable };
    // Only files are a source of objects, and no maintenance runs in the background.
    const always = { GIT_ALLOW_PROTOCOL: "file", ...env };
    return await runGitCommand(
      ["-c", "gc.auto=0", "-c", "maintenance.auto=false", ...args],
      folders,
      always,
      { sandbox: this.#sandbox, signal },
      options,
    );
  }

  /** Returns the output without its last line break. Throws `unavailable` with the problem if git fails. */
  async read(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    problem: string,
    options?: GitRunOptions,
  ): Promise<string> {
    const { code, output, stderr } = await this.run(args, env, options);
    if (code === 0) return output.toString().trimEnd();
    throw new FairleadError("unavailable", `${problem}: ${stderr.trim() || `git ended with ${code}`}`);
  }
}
