import { dirname, join, relative } from "node:path";
import type { PathProblem } from "./find-failed-paths.ts";

/** What is at a path outside of the sandbox, not followed if it is a link. */
export interface OutsidePath {
  readonly kind: "file" | "folder" | "socket" | "other";
  /** Whether the user's permissions allow it. */
  readonly isReadable: boolean;
  readonly isWritable: boolean;
}

export interface PathExplanation {
  readonly path: string;
  /**
   * `protected`: what makes git run programs. `git-without-hooks`: the whole git folder is read-only, until it has its
   * `hooks`. `git-read-only`: it is for another reason.
   */
  readonly reason:
    | "hidden"
    | "hidden-socket"
    | "read-only"
    | "read-only-workspace"
    | "protected"
    | "git-without-hooks"
    | "git-read-only";
}

export interface PathContext {
  readonly workspace: string;
  readonly isWorkspaceReadOnly: boolean;
  /** Looks at the disk of the user. Returns null if nothing is there. */
  readonly look: (path: string) => OutsidePath | null;
}

/**
 * Explains why a command in a sandbox could not use an absolute path. Returns null if the sandbox is not the reason: the
 * path does not exist outside either, or the user may not read or write it.
 */
export function explainPath(path: string, problem: PathProblem, context: PathContext): PathExplanation | null {
  const { workspace, isWorkspaceReadOnly, look } = context;
  const isInWorkspace = isInside(path, workspace);
  if (problem === "read-only") {
    // A command that creates a file fails as well, so its folder counts.
    const outside = look(path) ?? look(dirname(path));
    if (outside === null || !outside.isWritable) return null;
    if (isInWorkspace && isWorkspaceReadOnly) return { path: workspace, reason: "read-only-workspace" };
    // The git folder of a worktree is outside of the workspace, where a file names it.
    const isOfRepository = isInWorkspace || look(join(workspace, ".git"))?.kind === "file";
    const explanation = isOfRepository ? explainGitPath(path, look) : null;
    return explanation ?? (isInWorkspace ? null : { path, reason: "read-only" });
  }
  // Every agent sees its workspace. What is missing there is missing.
  if (isInWorkspace) return null;
  const outside = look(path);
  if (outside === null || (problem === "denied" && !outside.isReadable)) return null;
  return { path, reason: outside.kind === "socket" ? "hidden-socket" : "hidden" };
}

/** Explains only git's files: an agent with a sandbox of its own may make the others read-only. */
function explainGitPath(path: string, look: PathContext["look"]): PathExplanation | null {
  const names = path.split("/");
  const index = names.indexOf(".git");
  if (index < 1) return null;
  const [folder, entry = ""] = [names.slice(0, index + 1).join("/"), names[index + 1]];
  if (look(join(folder, "hooks")) === null) return { path: join(folder, "hooks"), reason: "git-without-hooks" };
  const isProgram = ["config", "config.worktree", "hooks", "modules"].includes(entry.replace(/\.lock$/, ""));
  return isProgram ? { path, reason: "protected" } : { path: folder, reason: "git-read-only" };
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith("../");
}
