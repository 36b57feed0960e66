import { FairleadError, type SessionRepository } from "@fairlead/contract";
import type { Environment } from "../host/child-environment.ts";
import { snapshotReference } from "./remote-references.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { assertTransported, runTransport } from "./transport-git.ts";

export interface PushOptions {
  readonly store: SnapshotStore;
  readonly session: string;
  readonly workspace: string;
  readonly repository: SessionRepository;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

const pushFlags = ["--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no"];

/**
 * Pushes a snapshot to the repository, without force: throws `fenced` if another host has pushed one since, because that host
 * has the session.
 */
export async function pushSnapshot(commit: string, options: PushOptions): Promise<void> {
  const { store, session, workspace, repository, environment, signal } = options;
  const { url } = repository;
  const reference = snapshotReference(session);
  const { hasReference } = store.state;
  // Before the first snapshot, the repository may advertise no commit that the store has. Then git asks for those in common.
  const settings = hasReference ? [] : ["push.negotiate=true"];
  const transport = { url, gitFolder: store.gitFolder, workspace, environment, signal, settings };
  const push = () => runTransport(["push", ...pushFlags, "--", url, `${commit}:${reference}`], transport);
  const isRejected = ({ output }: { readonly output: Buffer }): boolean => output.includes("[rejected]");
  let result = await push();
  if (result.code !== 0 && !hasReference && !isRejected(result)) {
    // A server with an old protocol cannot be asked, and git sends all files, of which the store has only the changed ones.
    const fetch = ["--quiet", "--depth=1", "--refetch", "--no-write-fetch-head", "--", url, repository.commit];
    const fetched = await runTransport(["fetch", ...fetch], transport);
    if (fetched.code === 0) result = await push();
  }
  if (isRejected(result))
    throw new FairleadError("fenced", `Another host has pushed a newer snapshot of session ${session} to ${url}.`);
  assertTransported(result, `The snapshot of session ${session} cannot be pushed to ${url}`);
  store.recordPush(commit);
}

/** Removes the snapshots of a session from the repository. Throws `unavailable` if that fails. */
export async function removeSnapshots(
  options: Omit<PushOptions, "store"> & { readonly gitFolder: string },
): Promise<void> {
  const { session, repository, ...transport } = options;
  const { url } = repository;
  const result = await runTransport(["push", ...pushFlags, "--", url, `:${snapshotReference(session)}`], {
    ...transport,
    url,
  });
  assertTransported(result, `The snapshots of session ${session} cannot be removed from ${url}`);
}
