import { join, relative } from "node:path";
import type { Sandbox } from "@fairlead/contract";
import type { VisiblePaths } from "./find-visible-paths.ts";

/** What a path is. A mount needs an existing path: bubblewrap would create it, on the user's disk. */
export type PathKind = "folder" | "file" | "missing";

export interface SandboxOptions {
  readonly sandbox: Sandbox;
  readonly workspace: string;
  /** The user's home. The agent has an empty one, with what is visible or its own. */
  readonly home: string;
  /** What the agent can read outside of its workspace and its own folders. Nothing else of the machine is there. */
  readonly visible: VisiblePaths;
  /** Sockets at which programs of the machine listen. File permissions do not keep an agent of the same user away. */
  readonly sockets: readonly string[];
  /** Whether the keeper runs as root. The agent does not: root could undo the mounts. */
  readonly isRoot: boolean;
  /** Whether bubblewrap starts in a network of the sandbox's own. */
  readonly isInNetwork: boolean;
  readonly kindOf: (path: string) => PathKind;
}

/** `private`: an empty folder that can be written, and is discarded. `hidden`: the same, in a folder that is visible. */
type Access = "private" | "hidden" | "readable" | "writable";

/** The folders for temporary files. The second is a link to the first, because a mount takes time. */
const temporaryFolders = ["/tmp", "/var/tmp"] as const;

/** The user's folder for temporary files does not exist inside. A program that trusts the variable would fail. */
const environmentArguments: readonly string[] = ["--setenv", "TMPDIR", "/tmp"];

const baseArguments: readonly string[] = (
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --cap-drop ALL --die-with-parent --new-session " +
  "--dev /dev --proc /proc --dir /run"
).split(" ");

/**
 * Files there belong to root, and the kernel lets an owner without capabilities write them: the program in core_pattern
 * runs outside of every namespace. Bubblewrap protects the folder only if root may write the folder itself.
 */
const rootArguments: readonly string[] = ["--uid", "1000", "--gid", "1000", "--ro-bind", "/proc/sys", "/proc/sys"];

/** Builds the bubblewrap arguments for a sandbox. Its root is empty, except for what is mounted. */
export function sandboxArguments(options: SandboxOptions): string[] {
  const { sandbox, isRoot, isInNetwork } = options;
  return [
    ...environmentArguments,
    ...baseArguments,
    ...(isRoot ? rootArguments : []),
    ...(sandbox.network === "open" || isInNetwork ? [] : ["--unshare-net"]),
    ...mountArguments(options),
    // Last, because the mount points are created in it. A write then fails, instead of being discarded.
    "--remount-ro",
    "/",
  ];
}

function mountArguments({ sandbox, workspace, home, visible, sockets, kindOf }: SandboxOptions): string[] {
  const accesses = new Map<string, Access>();
  const grant = (paths: readonly string[], access: Access): void => {
    for (const path of paths) accesses.set(path, access);
  };
  // A later grant replaces an earlier one for the same path.
  grant([temporaryFolders[0], ...(home === "/" ? [] : [home])], "private");
  grant(visible.paths, "readable");
  grant(sandbox.hides, "hidden");
  grant(sandbox.writes, "writable");
  grant([workspace], sandbox.workspace === "write" ? "writable" : "readable");
  grant(sandbox.protects, "readable");
  grant(sandbox.shows, "readable");
  const links = new Map(visible.links);
  const isTemporaryUsed = [...accesses.keys(), ...links.keys()].some((path) => path.startsWith(temporaryFolders[1]));
  if (isTemporaryUsed) grant([temporaryFolders[1]], "private");
  else links.set(temporaryFolders[1], temporaryFolders[0]);
  const kinds = new Map<string, PathKind>();
  // A machine can have thousands of sockets, so whether a path exists is asked only of those that need a mount.
  const kindOfMount = (path: string): PathKind => {
    if (accesses.get(path) === "private") return "folder";
    const kind = kinds.get(path) ?? kindOf(path);
    kinds.set(path, kind);
    return kind;
  };
  for (const path of foldersToPin(accesses, kindOfMount)) accesses.set(path, "writable");
  grant(sockets, "hidden");
  const mounts = [...accesses].flatMap(([path, access]) => {
    if (links.has(path) || !isNeeded(path, accesses) || kindOfMount(path) === "missing") return [];
    return [{ depth: depthOf(path), args: mountOf(path, access, kindOfMount(path)) }];
  });
  const created = [...links].flatMap(([path, content]) => {
    if (isShown(nearestParent(path, accesses), accesses)) return [];
    return [{ depth: depthOf(path), args: ["--symlink", content, path] }];
  });
  // A folder is mounted before what is in it: a later mount would cover the earlier one.
  return [...mounts, ...created].toSorted((one, other) => one.depth - other.depth).flatMap(({ args }) => args);
}

/**
 * Returns the folders between a path with a mount and the writable folder that it is in. Each needs a mount of its own:
 * otherwise an agent can move it away, with what is protected, and create another in its place. A folder of an agent's own
 * counts: a later launch would mount what is there then.
 */
function foldersToPin(accesses: ReadonlyMap<string, Access>, kindOf: (path: string) => PathKind): string[] {
  return [...accesses].flatMap(([path, access]) => {
    if (access === "private") return [];
    const parent = nearestParent(path, accesses);
    if (parent === undefined || accesses.get(parent) !== "writable" || kindOf(path) === "missing") return [];
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
 * Whether the path needs a mount of its own. A readable or hidden one does not in a folder that is the same. A writable one
 * always does, because an agent can move a folder that is no mount, with protected files in it.
 */
function isNeeded(path: string, accesses: ReadonlyMap<string, Access>): boolean {
  const access = accesses.get(path);
  if (access === "writable" || access === "private") return true;
  const nearest = nearestParent(path, accesses);
  if (access === "hidden") return isShown(nearest, accesses);
  return nearest === undefined || accesses.get(nearest) !== "readable";
}

/** Whether a folder shows what is in it on the user's disk. */
function isShown(folder: string | undefined, accesses: ReadonlyMap<string, Access>): boolean {
  const access = folder === undefined ? undefined : accesses.get(folder);
  return access === "readable" || access === "writable";
}

/** Returns the innermost of the folders that contain the path. A machine can have thousands of sockets, so it walks up. */
function nearestParent(path: string, accesses: ReadonlyMap<string, Access>): string | undefined {
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
    const folder = path.slice(0, end);
    if (accesses.has(folder)) return folder;
  }
  return undefined;
}

const depthOf = (path: string): number => (path === "/" ? 1 : path.split("/").length);
