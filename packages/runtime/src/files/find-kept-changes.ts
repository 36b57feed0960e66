import { FairleadError } from "@fairlead/contract";
import type { RoomScope } from "../config/workspace-rooms.ts";
import type { Home } from "../home.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { diffTrees, type TreeDiff } from "./diff-trees.ts";
import { KeptIndex } from "./kept-index.ts";
import { readTurnTrees } from "./turn-trees.ts";

export interface KeptChangesOptions {
  readonly session: string;
  readonly workspace: string;
  /** The tree of the session's last comparison. */
  readonly lastTree: string | null;
  /** The part of the workspace to show. */
  readonly scope?: RoomScope;
}

export interface TurnChangesOptions extends KeptChangesOptions {
  /** The turn. If it is open, or its end was not compared, its last tree is that of the last comparison. */
  readonly turn: string;
}

const timeoutMs = 20_000;

/** Finds what changed in the workspace during one turn, by any program. */
export async function findTurnChanges(home: Home, options: TurnChangesOptions): Promise<TreeDiff> {
  const { session, turn, lastTree, scope } = options;
  const { start, end = lastTree } = await readTurnTrees(home.turnsFile(session), turn);
  const index = await openIndex(home, options);
  if (index === null || start === undefined || end === null) {
    const message = "The files were not compared when the turn started or ended, so its changes are unknown.";
    throw new FairleadError("unavailable", `${message} Those of the session: fairlead diff ${session}`);
  }
  return await diffTrees(index, start, end, { signal: AbortSignal.timeout(timeoutMs), scope });
}

/**
 * Finds what changed in the workspace from the first comparison of the session to the last one, by any program. Needs no
 * repository. Returns null if the files were not compared.
 */
export async function findChangesSinceStart(home: Home, options: KeptChangesOptions): Promise<TreeDiff | null> {
  const index = await openIndex(home, options);
  const { lastTree, scope } = options;
  if (index === null || lastTree === null) return null;
  return await diffTrees(index, index.baseline, lastTree, { signal: AbortSignal.timeout(timeoutMs), scope });
}

async function openIndex(home: Home, { session, workspace }: KeptChangesOptions): Promise<KeptIndex | null> {
  const options = { folder: home.filesFolder(session), workspace, excluded: home.folder };
  return await KeptIndex.open({ ...options, sandbox: await findGitSandbox() }).catch(() => null);
}
