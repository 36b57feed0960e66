import { posix } from "node:path";
import type { ShellWord } from "@fairlead/kit";

/** Where a path leads. `unknown`: the shell computes it. */
export type PathLocation = "workspace" | "temporary" | "device" | "outside" | "unknown";

/** Returns a word as a path: `*` for parts that the shell computes, `~` for the home. */
export function pathOf(word: ShellWord): string {
  if (word.value !== null) return word.value;
  return word.parts
    .map((part) => {
      if (part.kind === "text") return part.value;
      if (part.kind !== "variable") return "*";
      return part.name === "HOME" ? "~" : part.name === "PWD" ? "." : part.name === "TMPDIR" ? "/tmp" : "*";
    })
    .join("");
}

/** Finds out where a path leads, without looking: links are not followed. */
export function locatePath(path: string, workspace: string | undefined): PathLocation {
  if (path.startsWith("~")) return "outside";
  if (/^\*+(?:\/|$)/.test(path)) return "unknown";
  const isAbsolute = path.startsWith("/");
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    // A computed segment may be `..`; one that is only partly computed may not.
    if (segment === "..") {
      if (segments.length === 0 && !isAbsolute) return "outside";
      segments.pop();
    } else segments.push(segment);
  }
  if (!isAbsolute) return "workspace";
  const normal = `/${segments.join("/")}`;
  if (workspace !== undefined && `${normal}/`.startsWith(`${normalizePath(workspace)}/`)) return "workspace";
  if (/^\/(?:private\/)?(?:var\/)?tmp\/./.test(normal)) return "temporary";
  return normal.startsWith("/dev/") ? "device" : "outside";
}

/** Devices that discard, or belong to the command itself. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|std(?:in|out|err)|fd\/\d+|tty|u?random)$/.test(path);
}

/** Gives an absolute path its one spelling, without `//`, `.` and `..`. Others depend on where they are resolved. */
export function normalizePath(path: string): string {
  return path.startsWith("/") ? posix.normalize(path).replace(/(?<=.)\/$/, "") : path;
}

/** Resolves a path that leaves the workspace with `..`, and may lead back into it: `../repo/src`. */
export function resolveParents(path: string, workspace: string | undefined): string {
  const leaves = !path.startsWith("/") && path.split("/").includes("..");
  return leaves && workspace !== undefined ? posix.join(workspace, path) : path;
}

/** Lists the segments of a path that is in the workspace, relative to it. */
export function segmentsOf(path: string, workspace: string | undefined): string[] {
  const [normal, root] = [normalizePath(path), workspace === undefined ? undefined : normalizePath(workspace)];
  const inside = root !== undefined && `${normal}/`.startsWith(`${root}/`) ? normal.slice(root.length) : normal;
  const segments: string[] = [];
  for (const segment of inside.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments;
}
