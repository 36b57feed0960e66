import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { LaunchSpec } from "../process/contained-process.ts";
import { listListeningSockets } from "./listening-sockets.ts";
import { type PathKind, sandboxArguments } from "./sandbox-arguments.ts";

/** Builds the bubblewrap arguments for the sandbox of a launch, from what is on the disk now. `program` is the agent's file. */
export function launchSandboxArguments({ command, env, sandbox }: LaunchSpec, program: string | null): string[] {
  return sandboxArguments({
    sandbox,
    workspace: resolveLinks(command.cwd) ?? command.cwd,
    home: resolveLinks(env["HOME"] ?? "") ?? "/",
    // The terminal's leader and agents that come with Fairlead are programs of this installation.
    programs: [program, process.execPath, fileURLToPath(import.meta.url)].flatMap(installationFolders),
    sockets: listListeningSockets().flatMap((socket) => resolveLinks(socket) ?? []),
    isRoot: process.getuid?.() === 0,
    kindOf,
  });
}

/**
 * Returns the folders that a program needs: the one of its file, and the outermost folder of packages that its target is
 * in, because a package loads others.
 */
function installationFolders(file: string | null): string[] {
  if (file === null || !file.startsWith("/")) return [];
  const target = resolveLinks(file);
  if (target === null || kindOf(target) !== "file") return [];
  const packages = /^(.*?)\/(?:node_modules|packages)\//.exec(target)?.[1];
  return [dirname(file), packages ?? dirname(target)].filter((folder) => folder !== "/");
}

/** A link counts as missing: an agent could have laid it, and the mount would be at its target. */
function kindOf(path: string): PathKind {
  if (resolveLinks(path) !== path) return "missing";
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder === undefined ? "missing" : isFolder ? "folder" : "file";
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
