import { roomPathspecs, type RoomScope } from "../config/workspace-rooms.ts";
import { findGitSandbox, type GitSandbox } from "./git-sandbox.ts";
import { requireSuccess } from "./guarded-git.ts";
import { keepWholeLines, patchFlags } from "./patch-format.ts";
import { RepositoryInspector } from "./repository-inspector.ts";

/** The changes in a workspace since a commit. */
export interface WorkspaceChanges {
  /** Whether the workspace is in a git repository. Without one, there is no patch. */
  readonly hasRepository: boolean;
  /** The commit that the patch applies to. Null if there is no commit, or no repository. */
  readonly base: string | null;
  readonly patch: string;
  /** Whether the patch was truncated because it is too long. */
  readonly truncated: boolean;
}

export interface WorkspaceChangesOptions {
  /** Limit of the patch in bytes. */
  readonly limit?: number;
  /** Limit of the time in milliseconds. */
  readonly timeout?: number;
  readonly sandbox?: GitSandbox;
  /**
   * The commit to compare with; null compares with an empty folder. Without it, or if the repository no longer has the
   * commit, the last one is used.
   */
  readonly since?: string | null | undefined;
  /** A git index with the stat data of the workspace. With it, git reads only what has changed since. */
  readonly index?: string;
  /** The part of the workspace to compare. */
  readonly scope?: RoomScope;
}

const defaultLimit = 1024 * 1024;
const defaultTimeout = 20_000;

/** Files above this size are listed in the patch without their content. */
const fileLimit = "core.bigFileThreshold=16m";

/**
 * Finds all differences from a commit, in tracked and in untracked files. Ignored files are left out. Neither the
 * repository nor its index changes. This uses an index of its own, so files that the agent marked as unchanged are
 * compared like all others. Files that a filter stores in another form, as is common for large files, count as changed.
 */
export async function findWorkspaceChanges(
  workspace: string,
  options: WorkspaceChangesOptions = {},
): Promise<WorkspaceChanges> {
  const { limit = defaultLimit, timeout = defaultTimeout, sandbox = await findGitSandbox() } = options;
  await using inspector = await RepositoryInspector.open(workspace, { sandbox, signal: AbortSignal.timeout(timeout) });
  if (inspector === null) return { hasRepository: false, base: null, patch: "", truncated: false };
  const base = await findBase(inspector, options.since);
  const from =
    base ?? (await requireSuccess(inspector.runGit(["hash-object", "-t", "tree", "--stdin"]))).output.toString().trim();
  if (base !== null) await inspector.readTree(base, options.index);
  const isComplete = await inspector.addNewFilesToIndex();
  const pathspecs = options.scope === undefined ? ["."] : roomPathspecs(options.scope);
  const { output, isTruncated } = await requireSuccess(
    inspector.runGit(["-c", fileLimit, "diff", ...patchFlags, from, "--", ...pathspecs], limit),
  );
  const patch = keepWholeLines(output, isTruncated);
  return { hasRepository: true, base, patch, truncated: isTruncated || !isComplete };
}

/** Returns the commit to compare with, or null to compare with an empty folder. */
async function findBase(inspector: RepositoryInspector, since: string | null | undefined): Promise<string | null> {
  if (since === null) return null;
  const isKnown = since !== undefined && (await inspector.runGit(["cat-file", "-e", `${since}^{commit}`])).code === 0;
  return isKnown ? since : await inspector.readHead();
}
