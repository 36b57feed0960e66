import { FairleadError } from "@fairlead/contract";
import type { RoomScope } from "../config/workspace-rooms.ts";
import type { Home } from "../home.ts";
import { findGitSandbox } from "../review/git-sandbox.ts";
import { diffTrees, type TreeDiff } from "./diff-trees.ts";
import { KeptIndex } from "./kept-index.ts";
import { readTurnTrees } from "./turn-trees.ts";

export interface TurnChangesOptions {
  readonly session: string;
  readonly workspace: string;
  readonly turn: string;
  /** The tree of the session's last comparison: the end of a turn that is open, or whose end was not compared. */
  readonly lastTree: string | null;
  /** The part of the workspace to show. */
  readonly scope?: RoomScope;
}

const timeoutMs = 20_000;

/** Finds what changed in the workspace during one turn, by any program. */
export async function findTurnChanges(home: Home, options: TurnChangesOptions): Promise<TreeDiff> {
  const { session, workspace, turn, lastTree, scope } = options;
  const { start, end = lastTree } = await readTurnTrees(home.turnsFile(session), turn);
  const keptOptions = { folder: home.filesFolder(session), workspace, excluded: home.folder };
  const index = await KeptIndex.open({ ...keptOptions, sandbox: await findGitSandbox() }).catch(() => null);
  if (index === null || start === undefined || end === null) {
    const message = "The files were not compared when the turn started or ended, so its changes are unknown.";
    throw new FairleadError("unavailable", `${message} Those of the session: fairlead diff ${session}`);
  }
  return await diffTrees(index, start, end, { signal: AbortSignal.timeout(timeoutMs), scope });
}
