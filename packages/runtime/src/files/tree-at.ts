import { listLimit } from "../review/guarded-git.ts";
import type { Comparison, KeptIndex } from "./kept-index.ts";
import { splitList } from "./parse-git-lists.ts";

/** The clock of files may be behind by a tick of the kernel, which has 100 of them a second or more. */
const clockTick = 10;

/**
 * Returns the state of the workspace at a time before a comparison: that of the comparison, in which the files that changed
 * later are as they were at the comparison before. A file that changed both before and after the time counts as changed
 * after it: what it had in between was never read.
 */
export async function treeAt(
  index: KeptIndex,
  { from, tree, changed }: Pick<Comparison, "from" | "tree" | "changed">,
  time: number,
  signal: AbortSignal,
): Promise<string> {
  // Times from the future are those of a file server with another clock, and divide nothing.
  const now = Date.now() + clockTick;
  const later = new Set(changed.flatMap(({ path, at }) => (at >= time && at <= now ? [path] : [])));
  if (later.size === 0 || tree === from) return tree;
  const list = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", tree, from];
  const { output } = await index.git(list, signal, { limit: listLimit });
  const items = splitList(output);
  const entries: string[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    // `:mode mode id id letter`, then the path
    const [, mode = "", , id = ""] = (items[at] ?? "").split(" ");
    const path = items[at + 1] ?? "";
    if (later.has(path)) entries.push(`${mode} ${id}\t${path}\0`);
  }
  return await index.writeTreeWith(tree, Buffer.from(entries.join(""), "latin1"), signal);
}

/** The time that divides what changed before a turn from what changed in it. */
export const startOfTurn = (startedAt: number): number => startedAt - clockTick;

/** The time that divides what changed in a turn from what changed after it. Times of events are whole milliseconds. */
export const endOfTurn = (endedAt: number): number => endedAt + 1;
