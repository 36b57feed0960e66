import type { Opening } from "@fairlead/contract";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import { claimSnapshots } from "../workspaces/claim-snapshots.ts";
import { snapshotWorkspace } from "../workspaces/snapshot-workspace.ts";

interface WorkspaceOptions {
  readonly home: Home;
  /** The environment of the host, with its credentials. */
  readonly environment: Environment;
  readonly opening: Opening;
}

/** Commits the workspace of a session after a turn. Returns null for a session without a repository. */
export async function snapshotSession({
  home,
  environment,
  opening,
  turn,
}: WorkspaceOptions & { readonly turn: string | null }): Promise<string | null> {
  const { session, workspace, repository } = opening;
  if (repository === undefined) return null;
  return await snapshotWorkspace({ home, session, turn, workspace, repository, environment });
}

/**
 * Makes this host the only one that can push snapshots of a session that it has claimed. Does nothing if it already is. Never
 * rejects: if the repository is away, the next snapshot does it, and reports what fails.
 */
export async function claimWorkspace({
  home,
  environment,
  session,
  opening,
}: WorkspaceOptions & { readonly session: string }): Promise<void> {
  const { workspace, repository } = opening;
  if (repository === undefined) return;
  await claimSnapshots({ home, session, workspace, repository, environment }).catch(() => {});
}
