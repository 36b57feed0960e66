import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { readPlainFile } from "../host/read-plain-file.ts";
import { findGitRepository } from "./find-git-repository.ts";

const maxReferenceBytes = 4096;
/** A repository with more references than this has no known start commit. */
const maxPackedBytes = 8 * 1024 * 1024;
const commitPattern = /^[\da-f]{40}(?:[\da-f]{24})?$/;
const referencePattern = /^ref: (refs\/[\w./@+-]+)$/;

/**
 * Reads which commit a workspace is at when a session starts. Returns null if there is no commit or no repository, and
 * undefined if that cannot be read. Starts no process, because every start of a session would wait for it.
 */
export async function readStartCommit(workspace: string): Promise<string | null | undefined> {
  try {
    const repository = await findGitRepository(await realpath(workspace));
    if (repository === null) return null;
    const head = readPlainFile(join(repository.folder, "HEAD"), maxReferenceBytes)?.trim() ?? "";
    if (commitPattern.test(head)) return head;
    const name = referencePattern.exec(head)?.[1];
    if (name === undefined || name.includes("..")) return undefined;
    return readReference(repository.commonFolder, name);
  } catch {
    return undefined;
  }
}

function readReference(commonFolder: string, name: string): string | null | undefined {
  const loose = readPlainFile(join(commonFolder, name), maxReferenceBytes)?.trim();
  if (loose !== undefined) return commitPattern.test(loose) ? loose : undefined;
  const packed = readPlainFile(join(commonFolder, "packed-refs"), maxPackedBytes) ?? "";
  const line = packed.split("\n").find((one) => one.endsWith(` ${name}`));
  if (line === undefined) return null; // a branch without a commit
  const commit = line.slice(0, line.indexOf(" "));
  return commitPattern.test(commit) ? commit : undefined;
}
