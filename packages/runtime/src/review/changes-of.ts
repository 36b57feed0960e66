import { findEnclosure, type Enclosure } from "./enclosure.ts";
import { demand, Look } from "./look.ts";

/** What has changed in a workspace since its last commit. */
export interface Changes {
  /** The commit that it is measured from; null when there is none, or no repository at all. */
  readonly base: string | null;
  readonly patch: string;
  /** Whether the patch was cut because it is too long. */
  readonly truncated: boolean;
}

export interface ChangesOptions {
  /** How many bytes of a patch are wanted. */
  readonly limit?: number;
  /** How many milliseconds it may take. */
  readonly patience?: number;
  readonly enclosure?: Enclosure;
}

const largest = 1024 * 1024;
const longest = 20_000;

/** Larger files are told of, but not shown. */
const fileLimit = "core.bigFileThreshold=16m";

/**
 * Everything that differs from the last commit, in files that git knows and in those that it does not; what the
 * workspace tells git to ignore is left out. Neither the repository nor its index is touched. The index is made
 * anew, so files that were marked as unchanged there are compared like all others; what a filter stores in another
 * form than it lies in the folder, as large files often are, is told as changed.
 */
export async function changesOf(workspace: string, options: ChangesOptions = {}): Promise<Changes> {
  const { limit = largest, patience = longest, enclosure = await findEnclosure() } = options;
  await using look = await Look.at(workspace, { enclosure, signal: AbortSignal.timeout(patience) });
  if (look === null) return { base: null, patch: "", truncated: false };
  const base = await look.head();
  const from = base ?? (await demand(look.git(["hash-object", "-t", "tree", "--stdin"]))).output.toString().trim();
  if (base !== null) await demand(look.git(["read-tree", base]));
  const hasAll = await look.noteNewFiles();
  // To tell whether a repository inside is dirty, git would start another git there, with that one's settings.
  const harmless = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short"];
  const form = ["--patch", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
  const { output, isCut } = await demand(
    look.git(["-c", fileLimit, "diff", ...harmless, ...form, from, "--", "."], limit),
  );
  return { base, patch: wholeLines(output, isCut), truncated: isCut || !hasAll };
}

function wholeLines(output: Buffer, isCut: boolean): string {
  return output.subarray(0, isCut ? output.lastIndexOf("\n") + 1 : output.length).toString();
}
