import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { SessionRepository } from "@fairlead/contract";
import { CopyGit } from "../copies/copy-git.ts";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import { readCloneFacts, writeCloneFacts, type CloneFacts } from "./clone-facts.ts";
import { cloneRepository, unstageSnapshot } from "./clone-repository.ts";
import { identifyFolder } from "./folder-identity.ts";
import { snapshotReference } from "./remote-references.ts";
import { SnapshotStore } from "./snapshot-store.ts";

export interface MakeWorkspaceOptions {
  readonly home: Home;
  readonly session: string;
  /** Where the workspace will be. It is replaced if it exists and is not used. The caller has a lock for it. */
  readonly folder: string;
  readonly repository: SessionRepository;
  /** The snapshot whose files the workspace gets. Default: the repository's commit. */
  readonly snapshot?: { readonly commit: string; readonly reference: string };
  readonly environment: Environment;
  readonly signal: AbortSignal;
  /** Whether a session works in the folder, which must stay then. */
  readonly isUsed?: () => Promise<boolean>;
}

/**
 * Clones a repository into a folder beside the workspace, creates the store of the session's snapshots from it, and renames it.
 * So there is no half of a clone after a crash, and the store has nothing that an agent wrote. Returns false if the folder is used
 * and was kept.
 */
export async function makeWorkspace(options: MakeWorkspaceOptions): Promise<boolean> {
  const { home, session, folder, repository, snapshot, environment, signal } = options;
  const mustKeep = async (): Promise<boolean> => existsSync(folder) && (await options.isUsed?.()) === true;
  if (await mustKeep()) return false;
  const name = basename(folder);
  const earlier = readCloneFacts(home, name);
  if (earlier !== null) await rm(earlier.temporary, { recursive: true, force: true });
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const temporary = join(dirname(folder), `.${name}-${randomUUID().slice(0, 8)}`);
  const facts: CloneFacts = { version: 1, session: name, folder, temporary, repository, isReady: false };
  // First, so that what this leaves is found and removed after a crash.
  writeCloneFacts(home, facts);
  try {
    const common = { repository, environment, signal, ...(snapshot && { snapshot }) };
    await cloneRepository({ ...common, folder: temporary });
    const index = await findExactIndex(temporary, snapshot !== undefined, signal);
    await SnapshotStore.create({
      folder: home.snapshotFolder(session),
      workspace: temporary,
      commit: snapshot?.commit ?? repository.commit,
      source: join(temporary, ".git"),
      ...(index !== null && { index }),
      // A snapshot of the session that this one continues is in another reference.
      hasReference: snapshot?.reference === snapshotReference(session),
      signal,
    });
    if (snapshot !== undefined) await unstageSnapshot(temporary, repository.commit, signal);
    const replaced = `${temporary}.old`;
    // Again: a clone takes minutes, in which a session can have come to work there.
    if (await mustKeep()) {
      await rm(temporary, { recursive: true, force: true });
      if (earlier !== null) writeCloneFacts(home, earlier);
      return false;
    }
    if (existsSync(folder)) await rename(folder, replaced);
    await rename(temporary, folder);
    const identity = identifyFolder(folder);
    writeCloneFacts(home, { ...facts, isReady: true, ...(identity && { identity }) });
    await rm(replaced, { recursive: true, force: true });
    return true;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // The clone that was to be replaced is still there.
    if (earlier !== null && existsSync(folder)) writeCloneFacts(home, earlier);
    throw error;
  }
}

/**
 * Returns the index of a clone, if its stat data is that of files which have the bytes of the commit. With attributes, git may
 * have changed line ends when it wrote them. Those of a snapshot are written byte by byte.
 */
async function findExactIndex(folder: string, isSnapshot: boolean, signal: AbortSignal): Promise<string | null> {
  const index = join(folder, ".git/index");
  if (isSnapshot) return index;
  const git = await CopyGit.open({ top: folder, writable: folder, signal });
  const env = { GIT_DIR: join(folder, ".git"), GIT_WORK_TREE: folder };
  const args = ["ls-files", "--", ":(glob)**/.gitattributes"];
  return (await git.read(args, env, "The clone cannot be read")) === "" ? index : null;
}
