import type { Opening } from "@fairlead/contract";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
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
