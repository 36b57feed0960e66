import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SessionRepository } from "@fairlead/contract";
import { createBareRepository } from "../files/bare-repository.ts";
import type { Environment } from "../host/child-environment.ts";
import { findReference, snapshotReference } from "./remote-references.ts";
import { SnapshotStore } from "./snapshot-store.ts";
import { assertTransported, runTransport } from "./transport-git.ts";

export interface RebuildOptions {
  /** The folder of the store. */
  readonly folder: string;
  readonly session: string;
  readonly workspace: string;
  readonly repository: SessionRepository;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/**
 * Creates a store for a workspace in which an agent works: the store was lost, or the session continues in the clone of another
 * one. The objects come from the repository, because the agent can write those of the clone. Reads all files.
 */
export async function rebuildStore(options: RebuildOptions): Promise<SnapshotStore> {
  const { folder, session, workspace, repository, environment, signal } = options;
  const { url } = repository;
  const source = join(folder, "source/git");
  await rm(join(folder, "source"), { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createBareRepository(source, repository.commit.length === 64 ? "sha256" : "sha1");
  const transport = { url, gitFolder: source, workspace, environment, signal };
  try {
    const snapshot = await findReference([snapshotReference(session)], transport);
    const commit = snapshot ?? repository.commit;
    const args = ["--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--", url];
    const result = await runTransport(["fetch", ...args, commit], transport);
    assertTransported(result, `The repository ${url} cannot be read`);
    const hasReference = snapshot !== undefined;
    return await SnapshotStore.create({ folder, workspace, commit, source, hasReference, signal });
  } finally {
    await rm(join(folder, "source"), { recursive: true, force: true });
  }
}
