import { existsSync, realpathSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { FairleadError, type Opening, type RepositorySource, type SessionRepository } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { EventLog } from "@fairlead/journal";
import { createBareRepository } from "../files/bare-repository.ts";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import { lastChangeIn } from "../host/last-change-in.ts";
import { departedKeepMs } from "../moving/departed-keep-ms.ts";
import type { SessionProjections } from "../projection/session-projections.ts";
import { KeyedMutex } from "../sessions/start/keyed-mutex.ts";
import { claimSnapshots } from "./claim-snapshots.ts";
import { findClone, readCloneFacts, type CloneFacts } from "./clone-facts.ts";
import { identifyFolder, isSameFolder } from "./folder-identity.ts";
import { makeWorkspace } from "./make-workspace.ts";
import { removeSnapshots } from "./push-snapshot.ts";
import { resolveReference } from "./remote-references.ts";
import { restoreWorkspace } from "./restore-workspace.ts";
import { SnapshotStore } from "./snapshot-store.ts";

export interface RepositoryWorkspacesOptions {
  readonly home: Home;
  /** Where clones are made. Default: a folder of the data directory. */
  readonly folder?: string;
  /** The environment of the host, with its credentials. */
  readonly environment: Environment;
  readonly projections: Pick<SessionProjections, "list" | "read" | "waitUntilComplete">;
  /** Whether the journal has a session. */
  readonly has: (session: string) => Promise<boolean>;
  /** Whether the journal has the end of a session. */
  readonly hasEnded: (session: string) => Promise<boolean>;
  readonly journal: Pick<EventLog, "tail">;
  readonly hosts: Pick<Hosts, "isElsewhere">;
}

/** Milliseconds. A clone of a large repository takes minutes. */
const cloneTimeout = 600_000;
/** Milliseconds in which a repository must remove the snapshots of a session that is forgotten. */
const removalTimeout = 20_000;
/** Milliseconds in which the index must have all sessions of this host, before a clone is replaced. */
const indexTimeout = 10_000;

/** The clones of repositories that sessions work in. Disposing stops those that are being made. */
export class RepositoryWorkspaces implements Disposable {
  readonly #options: RepositoryWorkspacesOptions;
  readonly #closing = new AbortController();
  readonly #mutex = new KeyedMutex();
  /** The sessions that are being started. */
  readonly #starting = new Set<string>();
  /** The sessions that have come from other hosts, by workspace. The index has them only when they are driven. */
  readonly #arrived = new Map<string, Set<string>>();
  /** The claims that are being pushed, by session. */
  readonly #claims = new Map<string, Promise<void>>();

  constructor(options: RepositoryWorkspacesOptions) {
    this.#options = options;
  }

  /**
   * Clones a repository for a new session and passes the workspace to what starts the session. A clone of an earlier attempt is
   * used if it is complete. Removes the clone if the start fails and there is no session.
   */
  async use<Result>(
    session: string,
    source: RepositorySource,
    start: (workspace: string) => Promise<Result>,
  ): Promise<Result> {
    const { has } = this.#options;
    this.#starting.add(session);
    try {
      const workspace = await this.#mutex.run(session, () => this.#clone(session, source));
      return await start(workspace);
    } catch (error) {
      if (!(await has(session))) await this.#mutex.run(session, () => this.#removeFiles(session)).catch(() => {});
      throw error;
    } finally {
      this.#starting.delete(session);
    }
  }

  /**
   * Makes the workspace of a session that comes from another host, as its last snapshot has it. Keeps the folder if another open
   * session of this host works in it: one that was forked from this one, for example.
   */
  async restore(
    session: string,
    { workspace, repository, continues }: Pick<Opening, "workspace" | "repository" | "continues">,
  ): Promise<void> {
    if (repository === undefined) return;
    const { home, environment } = this.#options;
    const before = continues === null ? {} : { continues: continues.session };
    const isUsed = (): Promise<boolean> => this.#hasOpenSession(workspace, session);
    const common = { home, session, ...before, workspace, repository, environment, isUsed };
    // One after another: each removes what an earlier attempt for the same folder has left.
    await this.#mutex.run(basename(workspace), () => restoreWorkspace({ ...common, signal: this.#closing.signal }));
    this.#arrived.set(workspace, (this.#arrived.get(workspace) ?? new Set()).add(session));
  }

  /**
   * Begins to make this host the only one that can push snapshots of a session that it has claimed in the log. The agent need not
   * wait for it: if the earlier host pushes before, its snapshot stays in the history. If it fails, the next snapshot does it and
   * reports what fails.
   */
  claim(session: string, { workspace, repository }: Pick<Opening, "workspace" | "repository">): void {
    if (repository === undefined) return;
    const { home, environment } = this.#options;
    const options = { home, session, workspace, repository, environment, signal: this.#closing.signal };
    const claiming = claimSnapshots(options)
      .catch(() => {})
      .finally(() => this.#claims.delete(session));
    this.#claims.set(session, claiming);
  }

  /**
   * Prepares the removal of a session. Returns what removes its snapshots from the repository, and its clone unless another
   * session works in it. If the repository cannot be reached, it keeps the snapshots.
   */
  async release(session: string): Promise<() => Promise<void>> {
    const { home, projections } = this.#options;
    // Otherwise it could push the reference again that this removes.
    await this.#claims.get(session);
    const workspace = (await projections.read(session))?.summary?.workspace;
    const clone = (workspace === undefined ? null : findClone(home, workspace)) ?? readCloneFacts(home, session);
    if (clone === null) return () => Promise.resolve();
    const isUsed = await this.#isUsed(clone, session);
    return async () => {
      await this.#removeSnapshots(session, clone.repository);
      if (!isUsed) await this.#removeFiles(clone.session);
      if (clone.session !== session) await rm(home.snapshotFolder(session), { recursive: true, force: true });
    };
  }

  /**
   * Removes the clones that no session has: their start or their removal was interrupted, or their sessions have moved to other
   * hosts some days ago. Never rejects.
   */
  async sweep(): Promise<void> {
    const { home, projections } = this.#options;
    try {
      const names = await readdir(home.snapshotsFolder).catch(() => []);
      if (names.length === 0 || !(await projections.waitUntilComplete())) return;
      // The next process tries one that fails again, and the others must not wait for it.
      for (const session of names) await this.#sweepOne(session).catch(() => {});
    } catch {
      // The next process tries again.
    }
  }

  async #sweepOne(session: string): Promise<void> {
    const { home, has } = this.#options;
    if (this.#starting.has(session) || existsSync(home.startMarkerFile(session))) return;
    const isKnown = await has(session);
    if (isKnown && !(await this.#hasDeparted(session))) return;
    const clone = readCloneFacts(home, session);
    if (isKnown && clone !== null && !(await this.#hasLeft(session, clone))) return;
    if (clone !== null && (await this.#isUsed(clone, session))) return;
    if (clone !== null && (await this.#hasOpenSession(clone.folder, session))) return;
    await this.#removeFiles(session);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #clone(session: string, source: RepositorySource): Promise<string> {
    const { home, environment } = this.#options;
    const earlier = readCloneFacts(home, session);
    if (earlier?.isReady === true && existsSync(earlier.folder)) return earlier.folder;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(cloneTimeout)]);
    const folder = this.#options.folder ?? home.workspacesFolder;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const root = realpathSync(folder);
    const found = await resolveReference(source, { gitFolder: root, workspace: root, environment, signal });
    const repository: SessionRepository = { url: source.url, ...found };
    await makeWorkspace({ home, session, folder: join(root, session), repository, environment, signal });
    return join(root, session);
  }

  /** Whether a session moved to another host so long ago that nobody looks for its files here. */
  async #hasDeparted(session: string): Promise<boolean> {
    const { home, journal, hosts } = this.#options;
    const changedAt = await lastChangeIn(home.snapshotFolder(session));
    if (changedAt === null || Date.now() - changedAt < departedKeepMs) return false;
    const { epoch, owner } = await journal.tail(session);
    return epoch > 0 && hosts.isElsewhere(owner);
  }

  /**
   * Whether the clone of a session that has departed is what this host has left of it. The next host may see the same path: it runs on
   * the same machine, or the storage is shared. Its folder is another one, or has changes since then.
   */
  async #hasLeft(session: string, { folder, identity }: CloneFacts): Promise<boolean> {
    const { home, hasEnded } = this.#options;
    const current = identifyFolder(folder);
    if (current === null) return true;
    // An earlier version has not stored which folder it made.
    if (identity === undefined) return false;
    // What is removed then is not the folder.
    if (!isSameFolder(identity, current)) return true;
    // An agent may write to files that are deep in it, and nowhere else.
    const changedAt = (await lastChangeIn(folder, Infinity)) ?? 0;
    if (Date.now() - changedAt < departedKeepMs) return false;
    // This host wrote its snapshot last. The turn of an open session that wrote later may be one of the next host.
    const leftAt = (await lastChangeIn(home.snapshotFolder(session))) ?? 0;
    return changedAt <= leftAt || (await hasEnded(session));
  }

  /** Whether another session works in a clone: one that continued this one. */
  async #isUsed({ folder }: CloneFacts, except: string): Promise<boolean> {
    for await (const row of this.#options.projections.list({ workspace: folder }))
      if (row.session !== except) return true;
    return false;
  }

  /** Whether another session, which has not ended and which this host has by its log, works in a folder. */
  async #hasOpenSession(workspace: string, except: string): Promise<boolean> {
    const { projections, journal, hosts } = this.#options;
    if (!(await projections.waitUntilComplete(indexTimeout)))
      throw new FairleadError("unavailable", `It is not known yet whether a session works in ${workspace}. Try again.`);
    const sessions = new Set(this.#arrived.get(workspace));
    for await (const row of projections.list({ workspace }))
      if (row.state === "ended") sessions.delete(row.session);
      else sessions.add(row.session);
    sessions.delete(except);
    for (const session of sessions) {
      const { epoch, owner } = await journal.tail(session);
      if (epoch > 0 && !hosts.isElsewhere(owner)) return true;
    }
    return false;
  }

  /** Never rejects: a repository that is gone must not keep its sessions from being removed. */
  async #removeSnapshots(session: string, repository: SessionRepository): Promise<void> {
    const { home, environment } = this.#options;
    const folder = home.snapshotFolder(session);
    const store = SnapshotStore.open(folder, folder);
    if (store?.state.hasReference === false) return;
    const gitFolder = join(folder, "git");
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(removalTimeout)]);
    try {
      if (!existsSync(gitFolder))
        await createBareRepository(gitFolder, repository.commit.length === 64 ? "sha256" : "sha1");
      await removeSnapshots({ session, workspace: folder, repository, environment, gitFolder, signal });
    } catch {
      // The reference can be removed with git.
    }
  }

  /** Removes the clone that was made for a session, unless another host has put its own there, and what is kept about it. */
  async #removeFiles(session: string): Promise<void> {
    const { home } = this.#options;
    const clone = readCloneFacts(home, session);
    for (const path of clone === null ? [] : [clone.temporary, `${clone.temporary}.old`])
      await rm(path, { recursive: true, force: true });
    if (clone !== null && isOwn(clone)) await rm(clone.folder, { recursive: true, force: true });
    await rm(home.snapshotFolder(session), { recursive: true, force: true });
  }
}

function isOwn({ folder, identity }: CloneFacts): boolean {
  const current = identifyFolder(folder);
  return current === null || identity === undefined || isSameFolder(identity, current);
}
