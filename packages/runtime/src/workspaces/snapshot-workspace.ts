import { pushSnapshot, type PushOptions } from "./push-snapshot.ts";
import { useStore, type StoreUseOptions } from "./use-store.ts";

export interface SnapshotOptions extends StoreUseOptions {
  /** The turn that has ended. Null if another process drove the session then. */
  readonly turn: string | null;
}

/**
 * Commits the tree of the workspace, with changed and untracked files and without ignored ones, and pushes it to
 * `refs/fairlead/<session>` of the repository. Returns the commit; the same commit if nothing changed. Resolves or rejects within
 * the timeout. After an error, the next call continues with what this one has done; only after `fenced`, another host has the
 * session.
 */
export async function snapshotWorkspace(options: SnapshotOptions): Promise<string> {
  return await useStore(options, (push) => takeSnapshot(options.turn, push));
}

async function takeSnapshot(turn: string | null, options: PushOptions): Promise<string> {
  const { store, session, signal } = options;
  const tree = await store.stage(signal).catch(async (error: unknown) => {
    if (!signal.aborted) await store.discardIfDamaged(signal);
    throw error;
  });
  const { state } = store;
  const [when, trailer] = turn === null ? ["before a move", ""] : [`after turn ${turn}`, `Fairlead-Turn: ${turn}\n`];
  const message = `Snapshot of session ${session} ${when}\n\nFairlead-Session: ${session}\n${trailer}`;
  const commit = tree === state.tree ? state.commit : await store.commit(tree, { message, time: Date.now() });
  if (commit !== state.pushed) await pushSnapshot(commit, options);
  await store.compact(signal).catch(() => {}); // the snapshot is made, and the next one tries again
  return commit;
}
