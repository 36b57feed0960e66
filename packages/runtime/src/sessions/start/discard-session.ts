import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { Journal, LogTail } from "@fairlead/journal";
import { endKeeper } from "@fairlead/keeper";
import type { Home } from "../../home.ts";
import { discardCopy } from "../../copies/remove-copy.ts";
import { claimAfterTail } from "./claim-after-tail.ts";

export interface DiscardOptions {
  readonly home: Home;
  readonly journal: Journal;
  /** Identifies this process in the journal. */
  readonly owner: string;
}

/**
 * Ends the keeper of a session that has no events, and removes its folder, the marker of its start and its claim. Throws
 * `fenced` and removes nothing if the session was claimed since the tail was read: another process starts it again.
 */
export async function discardSession(options: DiscardOptions, session: string, tail: LogTail): Promise<void> {
  const { home, journal, owner } = options;
  if (tail.last > 0)
    throw new FairleadError("conflict", `Session ${session} has events. It can be ended, not discarded.`);
  // An earlier attempt may have left them, and a rename cannot replace them.
  for (const name of [session, `${session}.copy`]) await removeDiscardedFolder(home, name);
  // A start in another process waits while this process has the claim. The folder is moved at once, so that everything
  // after that, which may take seconds, cannot affect a session that was started again under the same id.
  const { fence } = await claimAfterTail(journal, session, tail, owner);
  moveAside(home, home.sessionFolder(session), session);
  await discardCopy(home, session, (folder) => moveAside(home, folder, `${session}.copy`));
  rmSync(home.startMarkerFile(session), { force: true });
  for (const name of [session, `${session}.copy`]) await removeDiscardedFolder(home, name);
  await journal.forget(session, fence);
}

function moveAside(home: Home, folder: string, name: string): void {
  mkdirSync(home.discardedFolder, { recursive: true, mode: 0o700 });
  try {
    renameSync(folder, join(home.discardedFolder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error; // the start failed before it had a folder
  }
}

/** Ends the keeper that works in the folder of a discarded session, and removes the folder. */
export async function removeDiscardedFolder(home: Home, session: string): Promise<void> {
  const folder = join(home.discardedFolder, session);
  if (!existsSync(folder)) return;
  // First, because the end of the keeper may fail or take long. Whatever cannot be removed here fails below.
  await Promise.allSettled(["secrets.json", "secrets.json.new"].map((name) => rm(join(folder, name))));
  await endKeeper(folder);
  await rm(folder, { recursive: true, force: true });
}
