import type { SessionRepository } from "@fairlead/contract";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import { requireClaim } from "./claim-reference.ts";
import { makeWorkspace, type MakeWorkspaceOptions } from "./make-workspace.ts";
import { findReference, snapshotReference } from "./remote-references.ts";

export interface RestoreOptions {
  readonly home: Home;
  readonly session: string;
  /** The session that this one continues: without a snapshot of its own, the session began with that one's files. */
  readonly continues?: string;
  /** The workspace, at the path that it had on the other host. */
  readonly workspace: string;
  readonly repository: SessionRepository;
  /** Whether another open session of this host works in the workspace, which is kept then. Default: it is replaced. */
  readonly isUsed?: () => Promise<boolean>;
  /** The environment of the host, with its credentials. */
  readonly environment: Environment;
  readonly signal?: AbortSignal;
}

/** Milliseconds. A clone of a large repository takes minutes. */
const restoreTimeout = 600_000;

/**
 * Makes the workspace of a session that comes from another host: clones the repository, and writes the files of the last
 * snapshot, or of the first commit if there is none. The branch is at the first commit, and what differs is uncommitted. Pushes
 * nothing, because the earlier host has the session until this one claims it. Returns the commit whose files the workspace has;
 * null if it was kept.
 */
export async function restoreWorkspace(options: RestoreOptions): Promise<{ readonly commit: string | null }> {
  const { home, session, workspace: folder, repository, isUsed, environment } = options;
  const late = AbortSignal.timeout(restoreTimeout);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  // First: the first snapshot on this host must be a claim, also after a crash.
  await requireClaim(home, session);
  const snapshot = await findSnapshot(options, signal);
  const isMade = await makeWorkspace({
    home,
    session,
    folder,
    repository,
    ...(snapshot && { snapshot }),
    ...(isUsed && { isUsed }),
    environment,
    signal,
  });
  return { commit: isMade ? (snapshot?.commit ?? repository.commit) : null };
}

async function findSnapshot(
  { session, continues, workspace, repository, environment }: RestoreOptions,
  signal: AbortSignal,
): Promise<MakeWorkspaceOptions["snapshot"]> {
  const transport = { url: repository.url, gitFolder: "/", workspace, environment, signal };
  for (const one of continues === undefined ? [session] : [session, continues]) {
    const reference = snapshotReference(one);
    const commit = await findReference([reference], transport);
    if (commit !== undefined) return { commit, reference };
  }
  return undefined;
}
