import type { EventOf } from "@fairlead/contract";

/** The bytes of a path, one per character. A path of Linux need not be UTF-8. */
export type RawPath = string;

/** A path that differs from the index. */
export interface StatusEntry {
  readonly path: RawPath;
  /** As git prints it: `?` for an untracked path, `D` for a deleted one, `M` or `T` for others. */
  readonly state: string;
}

export interface TreeChange {
  readonly path: RawPath;
  readonly change: EventOf<"file.changed">["change"];
}

/** Reads the output of `git status --porcelain=v1 -z --no-renames` about an index that equals HEAD. */
export function parseStatus(output: Buffer): StatusEntry[] {
  return splitList(output).map((entry) => ({ path: entry.slice(3), state: entry.charAt(1) }));
}

const changesByLetter: Readonly<Record<string, TreeChange["change"]>> = { A: "created", D: "deleted" };

/** Reads the output of `git diff-tree --name-status -z`, in which letters and paths alternate. */
export function parseNameStatus(output: Buffer): TreeChange[] {
  const items = splitList(output);
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    changes.push({ path: items[at + 1] ?? "", change: changesByLetter[items[at] ?? ""] ?? "modified" });
  return changes;
}

/** Joins paths for the standard input of a git command with `-z`. */
export function joinList(paths: readonly RawPath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** Decodes a path for people. Bytes that are not UTF-8 are replaced. */
export function decodePath(path: RawPath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** Splits the output of a git command with `-z`. */
export function splitList(output: Buffer): RawPath[] {
  return output.toString("latin1").split("\0").slice(0, -1);
}
