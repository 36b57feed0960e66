import { existsSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import type { Home } from "../home.ts";
import { pushSnapshot, type PushOptions } from "./push-snapshot.ts";
import { findReference, snapshotReference } from "./remote-references.ts";
import type { SnapshotStore } from "./snapshot-store.ts";

export interface ClaimOptions extends PushOptions {
  readonly home: Home;
  /** Builds the store again from the newest snapshot that the repository has. */
  readonly rebuild: () => Promise<SnapshotStore>;
}

const maxAttempts = 5;

/** Beside the store, so that it remains if the store is lost. */
const markerFile = (home: Home, session: string): string => join(home.snapshotFolder(session), "unclaimed");

/** Makes the next push of a session's snapshots a claim: until then, the earlier host may push. */
export async function requireClaim(home: Home, session: string): Promise<void> {
  await mkdir(home.snapshotFolder(session), { recursive: true, mode: 0o700 });
  writeFileSync(markerFile(home, session), "", { mode: 0o600 });
}

/** Whether the session has come from another host, and this one has not pushed since. */
export function isClaimDue(home: Home, session: string): boolean {
  return existsSync(markerFile(home, session));
}

/**
 * Pushes an empty snapshot of a session that has come to this host, so that what the earlier host pushes later is refused. If that
 * host has pushed after the workspace was restored, its snapshot stays in the history, and the next one of this host has the
 * files that are in the workspace. Returns the store to use. May be repeated.
 */
export async function claimReference(options: ClaimOptions): Promise<SnapshotStore> {
  const { home, session, repository, workspace, environment, signal, rebuild } = options;
  let { store } = options;
  const name = snapshotReference(session);
  const transport = { url: repository.url, gitFolder: "/", workspace, environment, signal };
  const message = `Session ${session} continues on another host\n\nFairlead-Session: ${session}\n`;
  for (let attempt = 1; isClaimDue(home, session); attempt += 1) {
    const found = await findReference([name], transport);
    if (found !== (store.state.hasReference ? store.state.pushed : undefined) && found !== store.state.commit)
      store = await rebuild();
    const { commit, pushed, tree } = store.state;
    const claim = commit === pushed ? await store.commit(tree, { message, time: Date.now() }) : commit;
    try {
      await pushSnapshot(claim, { ...options, store });
      await rm(markerFile(home, session), { force: true });
    } catch (error) {
      // The earlier host has pushed another snapshot after this one was found.
      if (!FairleadError.is(error, "fenced") || attempt === maxAttempts) throw error;
    }
  }
  return store;
}
