import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { SessionView } from "@fairlead/api";
import { explainPath, type OutsidePath, type PathExplanation } from "./explain-path.ts";
import { findFailedPaths } from "./find-failed-paths.ts";

/** A person reads these. More would hide the output of the command. */
const maxHints = 2;

export interface FailureExplainerOptions {
  readonly view: Pick<SessionView, "workspace" | "sandbox">;
  /** The user's configuration, where openings are written. */
  readonly configFile: string;
  readonly userHome?: string;
  /** Whether the session runs on another machine, whose files cannot be looked at. */
  readonly isRemote?: boolean;
}

/**
 * Returns a function that explains which part of a failed command's output comes from the sandbox, as sentences for the
 * user. The agent never gets them: it would learn what exists on the machine.
 */
export function createFailureExplainer(options: FailureExplainerOptions): (output: string) => readonly string[] {
  const { view, configFile, userHome = homedir(), isRemote = false } = options;
  const { workspace, sandbox } = view;
  if (isRemote || sandbox.kind === "none") return () => [];
  const context = { workspace, isWorkspaceReadOnly: sandbox.workspace === "read", look: lookAt };
  const shorten = (path: string): string =>
    path === userHome || path.startsWith(`${userHome}/`) ? `~${path.slice(userHome.length)}` : path;
  return (output) => {
    const explanations = findFailedPaths(output).flatMap(({ path, problem }) => {
      const absolute = path.startsWith("~") ? join(userHome, path.slice(1)) : resolve(workspace, path);
      return explainPath(absolute, problem, context) ?? [];
    });
    return explanations
      .slice(0, maxHints)
      .map((one) => formatExplanation({ ...one, path: shorten(one.path) }, shorten(configFile)));
  };
}

function formatExplanation({ path, reason }: PathExplanation, configFile: string): string {
  switch (reason) {
    case "hidden":
      return `The sandbox hides ${path}. If agents here may read it, list it under shows in ${configFile}, for new sessions.`;
    case "hidden-socket":
      return `The sandbox hides the socket ${path}. A session with --sandbox none can use it.`;
    case "read-only":
      return `The sandbox makes ${path} read-only. If agents here may write it, list it under writes in ${configFile}, for new sessions.`;
    case "read-only-workspace":
      return "The workspace of this session is read-only.";
    case "protected":
      return `The sandbox protects ${path}, because it can make git run programs. Change it yourself.`;
    case "git-without-hooks":
      return `The agent can commit only if the folder ${path} exists. Create it, and start another session.`;
    case "git-read-only":
      return `The sandbox makes ${path} read-only: commits is false in ${configFile}, or a file was missing in it when the session started. Start another session, if agents here may commit.`;
  }
}

/** Follows no link: an agent could have laid it. */
function lookAt(path: string): OutsidePath | null {
  try {
    const stats = lstatSync(path);
    const kind = stats.isSocket() ? "socket" : stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
    const uid = process.getuid?.();
    const isOwn = uid === 0 || stats.uid === uid;
    return { kind, isReadable: isOwn || (stats.mode & 0o4) !== 0, isWritable: isOwn || (stats.mode & 0o2) !== 0 };
  } catch {
    return null;
  }
}
