import { dirname, join } from "node:path";
import { listLimit, requireSuccess, runGitCommand } from "../review/guarded-git.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";

export interface PackTreesOptions {
  readonly commit: string;
  /** A git folder that has the commit. No agent can write to it. */
  readonly source: string;
  /** The git folder that gets the pack. */
  readonly target: string;
  readonly signal: AbortSignal;
}

/** Copies a commit and its trees into another repository. Without files, which are most of a commit. */
export async function packTrees({ commit, source, target, signal }: PackTreesOptions): Promise<void> {
  const sandbox = await findGitSandbox();
  const folder = dirname(source);
  // Git writes into its own folder first, so that is the target. It unquotes the variable like a C string.
  const env = { GIT_DIR: target, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(source, "objects")) };
  const run = async (args: readonly string[], input?: Uint8Array): Promise<Buffer> => {
    const folders = { workspace: folder, top: folder, scratch: target };
    const options = { limit: 4 * listLimit, ...(input && { input }) };
    const result = runGitCommand(args, folders, env, { sandbox, signal }, options);
    return (await requireSuccess(result)).output;
  };
  const list = await run(["rev-list", "--objects", "--no-walk", "--no-object-names", "--filter=blob:none", commit]);
  await run(["pack-objects", "--quiet", "--compression=1", join(target, "objects/pack/pack")], list);
}
