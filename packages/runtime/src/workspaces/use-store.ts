import { lstat, realpath } from "node:fs/promises";
import { FairleadError, type SessionRepository } from "@fairlead/contract";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import { KeyedMutex } from "../sessions/start/keyed-mutex.ts";
import { claimReference, isClaimDue } from "./claim-reference.ts";
import type { PushOptions } from "./push-snapshot.ts";
import { rebuildStore } from "./rebuild-store.ts";
import { SnapshotStore } from "./snapshot-store.ts";

export interface StoreUseOptions {
  readonly home: Home;
  readonly session: string;
  readonly workspace: string;
  readonly repository: SessionRepository;
  /** The environment of the host, with its credentials. */
  readonly environment: Environment;
  /** Milliseconds. Default: 10 seconds. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const defaultTimeout = 10_000;
/** Milliseconds in which a lost store is built again. This continues in the background when the snapshot has failed. */
const rebuildTimeout = 600_000;

/** Held while a snapshot of a session is made. */
const mutex = new KeyedMutex();
const rebuilding = new Map<string, Promise<SnapshotStore>>();

/**
 * Passes the store of a session to an action, after a claim of the session's reference if one is due. Resolves or rejects within
 * the timeout.
 */
export async function useStore<Result>(
  options: StoreUseOptions,
  action: (pushOptions: PushOptions) => Promise<Result>,
): Promise<Result> {
  const { home, session, repository, environment, timeout = defaultTimeout } = options;
  const late = AbortSignal.timeout(timeout);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  const folder = home.snapshotFolder(session);
  const use = async (): Promise<Result> => {
    signal.throwIfAborted();
    const workspace = await resolveWorkspace(options.workspace);
    const rebuild = (): Promise<SnapshotStore> => rebuildOnce({ ...options, workspace }, signal);
    const store = SnapshotStore.open(folder, workspace) ?? (await rebuild());
    const push = { store, session, workspace, repository, environment, signal };
    if (!isClaimDue(home, session)) return await action(push);
    const claimed = await claimReference({ ...push, home, rebuild }).catch(async (error: unknown) => {
      if (!signal.aborted) await store.discardIfDamaged(signal);
      throw error;
    });
    return await action({ ...push, store: claimed });
  };
  try {
    return await mutex.run(folder, use);
  } catch (error) {
    if (!late.aborted || FairleadError.is(error, "fenced")) throw error;
    const message = `The snapshot of session ${session} took longer than ${timeout / 1000} s.`;
    throw new FairleadError("timed-out", `${message} The next turn's end continues it.`, { cause: error });
  }
}

/** Throws for a link: an agent without a sandbox could have put it in the place of the folder. */
async function resolveWorkspace(workspace: string): Promise<string> {
  const stats = await lstat(workspace).catch(() => null);
  if (stats?.isDirectory() === true) return await realpath(workspace);
  throw new FairleadError("conflict", `The workspace ${workspace} is not a folder any more.`);
}

async function rebuildOnce(options: StoreUseOptions, signal: AbortSignal): Promise<SnapshotStore> {
  const folder = options.home.snapshotFolder(options.session);
  let pending = rebuilding.get(folder);
  if (pending === undefined) {
    const late = AbortSignal.timeout(rebuildTimeout);
    const stop = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
    pending = rebuildStore({ ...options, folder, signal: stop }).finally(() => rebuilding.delete(folder));
    pending.catch(() => {}); // the next snapshot tries again
    rebuilding.set(folder, pending);
  }
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([pending, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
