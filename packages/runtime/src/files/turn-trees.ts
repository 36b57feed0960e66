import { appendFile, open } from "node:fs/promises";
import { z } from "zod";

/** The state of a workspace when a turn started or ended. */
const TurnMark = z.object({ turn: z.string(), edge: z.enum(["start", "end"]), tree: z.string() });
export type TurnMark = z.infer<typeof TurnMark>;

/** The trees of a turn. A tree is missing if no comparison was made then. */
export type TurnTrees = Partial<Record<TurnMark["edge"], string>>;

/** Adds marks to the end of a file, which has one JSON value per line. */
export async function appendTurnMarks(file: string, marks: readonly TurnMark[]): Promise<void> {
  if (marks.length > 0) await appendFile(file, marks.map((mark) => `${JSON.stringify(mark)}\n`).join(""));
}

/**
 * Reads the trees of one turn. Skips lines that a crash has cut. If the end of the turn was not compared, it has the tree
 * with which the next turn started.
 */
export async function readTurnTrees(file: string, turn: string): Promise<TurnTrees> {
  const trees: TurnTrees = {};
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return trees;
  let next: string | undefined;
  for await (const line of handle.readLines()) {
    const mark = parseMark(line);
    // The first of each: a process that was killed may have repeated one.
    if (mark?.turn === turn) trees[mark.edge] ??= mark.tree;
    else if (trees.start !== undefined) next ??= mark?.tree;
  }
  const end = trees.end ?? next;
  return { ...trees, ...(end !== undefined && { end }) };
}

function parseMark(line: string): TurnMark | undefined {
  try {
    return TurnMark.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
