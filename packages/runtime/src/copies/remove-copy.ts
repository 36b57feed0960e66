import { existsSync } from "node:fs";
import type { Home } from "../home.ts";
import { baseReference, readCopyFacts, type CopyFacts } from "./copy-facts.ts";
import { CopyGit } from "./copy-git.ts";

const removalTimeout = 60_000;

/** Discards the copy of a session that was not started. `moveAside` moves the folder to where it is removed. */
export async function discardCopy(home: Home, session: string, moveAside: (folder: string) => void): Promise<void> {
  const folder = home.copyFolder(session);
  if (!existsSync(folder)) return;
  const facts = readCopyFacts(home, session);
  if (facts !== null) await removeBaseReference(facts);
  moveAside(folder);
}

/** Removes the reference to the base of a copy from the person's repository, if the repository is still there. */
export async function removeBaseReference({ session, top, commonFolder }: CopyFacts): Promise<void> {
  if (!existsSync(commonFolder)) return;
  const git = await CopyGit.open({ top, writable: commonFolder, signal: AbortSignal.timeout(removalTimeout) });
  const env = { GIT_DIR: commonFolder, HOME: "/" };
  await git.read(["update-ref", "-d", baseReference(session)], env, `The base of a copy cannot be removed from ${top}`);
}
