import { dirname, join, relative } from "node:path";
import type { Sandbox } from "@fairlead/contract";

/** What a path is. A mount needs an existing path: bubblewrap would create it, on the user's disk. */
export type PathKind = "folder" | "file" | "missing";

export interface SandboxOptions {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  /** The user's home, which the agent can read except for what is hidden. */
  readonly home: string;
  /** Files and folders that the agent's program consists of. They stay readable inside a hidden folder. */
  readonly programs: readonly string[];
  /** Sockets at which programs of the machine listen. File permissions do not keep an agent of the same user away. */
  readonly sockets: readonly string[];
  /** Whether the keeper runs as root. The agent does not: root could undo the mounts. */
  readonly isRoot: boolean;
  readonly kindOf: (path: string) => PathKind;
}

type Access = "hidden" | "readable" | "writable";

/** Empty for every agent: sockets of other programs are there, and files that other users may write. */
const privateFolders = ["/tmp", "/run"];

/** The user's folder for temporary files is hidden or read-only inside. A program that trusts the variable would fail. */
const environmentArguments: readonly string[] = ["--setenv", "TMPDIR", "/tmp"];

const baseArguments: readonly string[] = (
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --die-with-parent --new-session " +
  "--ro-bind / / --dev /dev --proc /proc"
).split(" ");

/**
 * Files there belong to root, and the kernel lets an owner without capabilities write them: the program in core_pattern
 * runs outside of every namespace. Bubblewrap protects the folder only if root may write the folder itself.
 */
const rootArguments: readonly string[] = ["--uid", "1000", "--gid", "1000", "--ro-bind", "/proc/sys", "/proc/sys"];

/** Builds the bubblewrap arguments for a sandbox. */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { sandbox, isRoot } = options;
  return [
    ...environmentArguments,
    ...baseArguments,
    ...(isRoot ? rootArguments : []),
    ...(sandbox.network === "open" ? [] : ["--unshare-net"]),
    ...mountArguments(options),
  ];
}

function mountArguments({ sandbox, workspace, home, programs, sockets, kindOf }: SandboxOptions): string[] {
  const accesses = new Map<string, Access>();
  const grant = (paths: readonly string[], access: Access): void => {
    for (const path of paths) if (kindOf(path) !== "missing") accesses.set(path, access);
  };
  // A later grant replaces an earlier one for the same path.
  grant(privateFolders, "hidden");
  grant([home, ...programs], "readable");
  grant(sandbox.hides, "hidden");
  grant(sandbox.writes, "writable");
  grant([workspace], sandbox.workspace === "write" ? "writable" : "readable");
  grant(sandbox.protects, "readable");
  grant(sandbox.shows, "readable");
  grant(sockets, "hidden");
  for (const path of foldersToPin(accesses)) accesses.set(path, "writable");
  // A folder is mounted before what is in it: a later mount would cover the earlier one.
  const paths = [...accesses.keys()].toSorted((one, other) => depthOf(one) - depthOf(other));
  return paths
    .filter((path) => isNeeded(path, accesses))
    .flatMap((path) => mountOf(path, accesses.get(path) ?? "readable", kindOf(path)));
}

/**
 * Returns the folders between a readable path and the writable folder that it is in. Each needs a mount of its own:
 * otherwise an agent can move it away, with what is protected, and create another in its place.
 */
function foldersToPin(accesses: ReadonlyMap<string, Access>): string[] {
  const readable = [...accesses].filter(([, access]) => access === "readable").map(([path]) => path);
  return readable.flatMap((path) => {
    const parent = nearestParent(path, accesses);
    if (parent === undefined || accesses.get(parent) !== "writable") return [];
    const names = relative(parent, path).split("/");
    return names.slice(0, -1).map((_, index) => join(parent, ...names.slice(0, index + 1)));
  });
}

function mountOf(path: string, access: Access, kind: PathKind): string[] {
  if (access === "writable") return ["--bind", path, path];
  if (access === "readable") return ["--ro-bind", path, path];
  return kind === "folder" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

/**
 * Whether the path needs a mount of its own. The root is readable, so a readable path needs none outside of the others. A
 * writable one always does, because an agent can move a folder that is no mount, with protected files in it.
 */
function isNeeded(path: string, accesses: ReadonlyMap<string, Access>): boolean {
  const access = accesses.get(path);
  if (access === "writable") return true;
  const nearest = nearestParent(path, accesses);
  return access !== (nearest === undefined ? "readable" : accesses.get(nearest));
}

/** Returns the innermost of the folders that contain the path. A machine can have thousands of sockets, so it walks up. */
function nearestParent(path: string, accesses: ReadonlyMap<string, Access>): string | undefined {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (accesses.has(folder)) return folder;
  }
  return undefined;
}

const depthOf = (path: string): number => path.split("/").filter((part) => part !== "").length;
