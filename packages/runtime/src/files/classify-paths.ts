import { constants, type Stats } from "node:fs";
import { access, lstat } from "node:fs/promises";
import type { RawPath, StatusEntry } from "./parse-git-lists.ts";

/** What is at a path that differs from the index. */
export interface ClassifiedPath {
  readonly path: RawPath;
  /** `content`: git can store it. `gone`: there is nothing that git stores. `skipped`: it stays as it is in the index. */
  readonly kind: "content" | "gone" | "skipped";
  readonly bytes: number;
  /** When the file or its name last changed, in milliseconds since 1970. No process can set this time. 0 if it is gone. */
  readonly changedAt: number;
  /** Of a path that is gone: when the folder that it was in, or the nearest one that is left, last changed. */
  readonly folderChangedAt?: number;
}

const maxConcurrentReads = 64;

/** Finds out what is at the paths, without following links. */
export async function classifyPaths(top: string, entries: readonly StatusEntry[]): Promise<ClassifiedPath[]> {
  const classified: ClassifiedPath[] = [];
  for (let at = 0; at < entries.length; at += maxConcurrentReads) {
    const chunk = entries.slice(at, at + maxConcurrentReads);
    classified.push(...(await Promise.all(chunk.map((entry) => classifyPath(top, entry)))));
  }
  return classified;
}

async function classifyPath(top: string, { path, state }: StatusEntry): Promise<ClassifiedPath> {
  const file = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, "latin1")]);
  const stats = await lstat(file).catch(() => null);
  if (stats === null) {
    const folderChangedAt = await readFolderChange(top, path);
    return { path, kind: state === "?" ? "skipped" : "gone", bytes: 0, changedAt: 0, folderChangedAt };
  }
  return { path, kind: await findKind(file, stats, state), bytes: stats.size, changedAt: stats.ctimeMs };
}

async function readFolderChange(top: string, path: RawPath): Promise<number> {
  for (let end = path.lastIndexOf("/"); ; end = path.lastIndexOf("/", end - 1)) {
    const folder = Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path.slice(0, Math.max(0, end)), "latin1")]);
    const stats = await lstat(folder).catch(() => null);
    if (stats !== null || end <= 0) return stats?.ctimeMs ?? 0;
  }
}

async function findKind(file: Buffer, stats: Stats, state: string): Promise<ClassifiedPath["kind"]> {
  if (stats.isSymbolicLink()) return "content";
  if (stats.isFile())
    return await access(file, constants.R_OK).then(
      () => "content",
      () => "skipped",
    );
  // A modified folder is a submodule. An untracked one is a repository of its own.
  if (stats.isDirectory() && state === "M") return "content";
  return state === "?" ? "skipped" : "gone";
}
