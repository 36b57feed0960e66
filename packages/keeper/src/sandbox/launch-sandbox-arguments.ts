import { lstatSync, statSync } from "node:fs";
import { join } from "node:path";
import type { LaunchSpec } from "../process/contained-process.ts";
import { findGitProtections } from "./find-git-protections.ts";
import { findSubmodules } from "./find-submodules.ts";
import { findVisiblePaths } from "./find-visible-paths.ts";
import { resolveLinks } from "./follow-links.ts";
import { listListeningSockets } from "./listening-sockets.ts";
import { type PathKind, sandboxArguments } from "./sandbox-arguments.ts";

/**
 * Builds the bubblewrap arguments for the sandbox of a launch, from what is on the disk now. `program` is the agent's file.
 * `isInNetwork`: bubblewrap starts in a network of the sandbox's own.
 */
export function launchSandboxArguments(
  spec: Omit<LaunchSpec, "network">,
  program: string | null,
  isInNetwork = false,
): string[] {
  const { command, env } = spec;
  const workspace = spec.sandbox.workspaceFolder ?? resolveLinks(command.cwd) ?? command.cwd;
  const { writes, hides } = spec.sandbox;
  // Found here, and not when the session starts: the user may have created or configured a repository since, and a turn may
  // have added a submodule.
  const protects = [...spec.sandbox.protects, ...findGitProtections({ workspace, env, writes, hides })];
  const gitLinks = [...new Set(protects)]
    .filter((path) => path.endsWith("/.git/modules"))
    .flatMap(findSubmodules)
    .filter((worktree) => worktree.startsWith(`${workspace}/`))
    .map((worktree) => join(worktree, ".git"));
  const sandbox = { ...spec.sandbox, protects: [...protects, ...gitLinks] };
  return sandboxArguments({
    sandbox,
    workspace,
    home: resolveLinks(env["HOME"] ?? "") ?? "/",
    visible: findVisiblePaths(spec, program),
    sockets: listListeningSockets()
      .flatMap((socket) => resolveLinks(socket) ?? [])
      .filter(isSocket),
    isRoot: process.getuid?.() === 0,
    isInNetwork,
    kindOf,
  });
}

/** The kernel lists a socket of a sandbox by its path in there, where another file may be outside. */
const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** A link counts as missing: an agent could have laid it, and the mount would be at its target. */
function kindOf(path: string): PathKind {
  if (resolveLinks(path) !== path) return "missing";
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder === undefined ? "missing" : isFolder ? "folder" : "file";
}
