import { roomPathspecs, type RoomScope } from "../config/workspace-rooms.ts";
import { listLimit } from "../review/guarded-git.ts";
import { keepWholeLines, patchFlags } from "../review/patch-format.ts";
import type { KeptIndex } from "./kept-index.ts";
import { decodePath, type RawPath } from "./parse-git-lists.ts";

/** The difference between two states of a workspace. */
export interface TreeDiff {
  readonly patch: string;
  readonly truncated: boolean;
  /** Changed files that are not in the patch, because they are too large to be kept. */
  readonly omitted: readonly string[];
}

const patchLimit = 1024 * 1024;

/** Formats the difference between two trees of a kept index as a patch for git. */
export async function diffTrees(
  index: KeptIndex,
  from: string,
  to: string,
  { signal, scope }: { readonly signal: AbortSignal; readonly scope?: RoomScope | undefined },
): Promise<TreeDiff> {
  const compare = ["diff-tree", "-r", "--no-renames"];
  const pathspecs = scope === undefined ? ["."] : roomPathspecs(scope, index.prefix);
  const raw = [...compare, "--raw", "--no-abbrev", "-z", from, to, "--", ...pathspecs];
  const list = await index.git(raw, signal, { limit: listLimit });
  const changes = parseRawChanges(list.output);
  const ids = changes.flatMap(({ before, after }) => [before, after]).filter((id) => !/^0+$/.test(id));
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(""));
  const check = await index.git(["cat-file", "--batch-check=%(objectname)"], signal, { input, limit: listLimit });
  const missing = new Set(
    check.output
      .toString()
      .split("\n")
      .filter((line) => line.endsWith(" missing"))
      .map((line) => line.split(" ")[0]),
  );
  const isMissing = ({ before, after }: RawChange): boolean => missing.has(before) || missing.has(after);
  const kept = changes.filter((change) => !isMissing(change)).map(({ path }) => path);
  const omitted = changes.filter(isMissing).map(({ path }) => decodePath(path));
  if (kept.length === 0) return { patch: "", truncated: false, omitted };
  const excluded = changes.filter(isMissing).map(({ path }) => `:(exclude,literal,top)${decodePath(path)}`);
  const paths = ["--", ...pathspecs, ...excluded];
  const flags = [...patchFlags, "--full-index"];
  const { output, isTruncated } = await index.git([...compare, ...flags, from, to, ...paths], signal, {
    limit: patchLimit,
  });
  return { patch: keepWholeLines(output, isTruncated), truncated: isTruncated || list.isTruncated, omitted };
}

interface RawChange {
  readonly path: RawPath;
  readonly before: string;
  readonly after: string;
}

/** Reads the output of `git diff-tree --raw -z`: `:mode mode id id letter`, then the path. Leaves out submodules. */
function parseRawChanges(output: Buffer): RawChange[] {
  const items = output.toString("latin1").split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [modeBefore, modeAfter, before = "", after = ""] = (items[at] ?? "").slice(1).split(" ");
    if (modeBefore === "160000" || modeAfter === "160000") continue;
    changes.push({ path: items[at + 1] ?? "", before, after });
  }
  return changes;
}
