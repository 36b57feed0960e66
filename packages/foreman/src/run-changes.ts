import type { Diff, RunEvent, RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { type Home, RunRepository } from "@fairlead/runtime";

/** The size limit of a patch, as of the patch of a session. */
const maxPatchBytes = 1024 * 1024;
/** How many paths a decision lists. */
const maxFiles = 100;
/** Views with the files of their decisions. The files of a tree do not change. */
const viewsWithFiles = new WeakMap<RunView, RunView>();

/**
 * Returns what a run changes since its base: the tree that a person is or was asked to approve, which is the only one that
 * can be pushed. Before that, the tree that Fairlead stored last.
 */
export async function readRunDiff(home: Home, run: string, events: readonly RunEvent[]): Promise<Diff> {
  const [start] = events;
  if (start?.body.type !== "run.started")
    throw new FairleadError("corrupt", `The first event of run ${run} is not its start.`);
  const { base } = start.body;
  const tree = findTree(events);
  if (tree === null) return { base, patch: "", truncated: false };
  const repository = new RunRepository(home, run);
  // First: it throws if the repository is damaged, where a patch would be empty.
  if ((await repository.listChangedPaths(base, tree)).length === 0) return { base, patch: "", truncated: false };
  const patch = await repository.readPatch(base, tree, maxPatchBytes);
  // Each line of a patch begins with a mark of git, so that only the note of `readPatch` begins with this one.
  const end = patch.lastIndexOf("\n[");
  const truncated = end >= 0 && !patch.endsWith("\n");
  return { base, patch: truncated ? patch.slice(0, patch.lastIndexOf("\n", end - 1) + 1) : patch, truncated };
}

function findTree(events: readonly RunEvent[]): string | null {
  const bodies = events.map(({ body }) => body);
  const asked = bodies.findLast((body) => body.type === "decision.requested");
  const stored = bodies.findLast((body) => body.type === "snapshot.made" || body.type === "work.joined");
  return asked?.tree ?? stored?.tree ?? null;
}

/**
 * Adds the paths of the changed files to the open decision of a run. Its digest stays: it has the id of the tree, which
 * decides what the files are.
 */
export async function addChangedFiles(home: Home, view: RunView): Promise<RunView> {
  const { run, base, decision } = view;
  const known = viewsWithFiles.get(view);
  if (decision === null || known !== undefined) return known ?? view;
  const input = decision.input as { readonly tree: string };
  const paths = await new RunRepository(home, run).listChangedPaths(base, input.tree).catch((error: unknown) => {
    // What is wrong with the repository must not hide the decision.
    if (FairleadError.isInstance(error)) return null;
    throw error;
  });
  if (paths === null) return view;
  const result = { ...view, decision: { ...decision, input: { ...input, files: paths.slice(0, maxFiles) } } };
  viewsWithFiles.set(view, result);
  return result;
}
