import { chmodSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * The layout of the data directory. Every path in it is defined here, except the keeper's files inside a session's
 * folder. The keeper defines those (`packages/keeper/src/session-folder.ts`), because it runs without a `Home`.
 */
export class Home {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = resolve(folder); // keepers receive the path and may run with another working directory
  }

  /** The data directory that an environment selects: `FAIRLEAD_HOME`, or `~/.fairlead`. */
  static from(environment: Readonly<Record<string, string | undefined>>): Home {
    return new Home(environment["FAIRLEAD_HOME"] || join(homedir(), ".fairlead"));
  }

  /** Creates the directory with access for its owner only: write access would grant approvals, read access all content. */
  create(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if ((statSync(this.folder).mode & 0o077) !== 0) chmodSync(this.folder, 0o700);
  }

  /** The events of all sessions. */
  get journalFile(): string {
    return join(this.folder, "journal.db");
  }

  /** The outcomes of commands by idempotency key. */
  get idempotencyFile(): string {
    return join(this.folder, "idempotency.db");
  }

  /** Access tokens, as digests. */
  get tokensFile(): string {
    return join(this.folder, "tokens.json");
  }

  /** Workspace files that the owner trusts. */
  get trustedFile(): string {
    return join(this.folder, "trusted.json");
  }

  /** Cached probe results. */
  get probeCacheFile(): string {
    return join(this.folder, "probes.json");
  }

  /** Keepers that are started and have no session yet. */
  get sparesFolder(): string {
    return join(this.folder, "spares");
  }

  /** The daemon's log. */
  get daemonLogFile(): string {
    return join(this.folder, "daemon.log");
  }

  /** The daemon's socket and locks. Only the owner may enter. */
  get daemonFolder(): string {
    return join(this.folder, "daemon");
  }

  get daemonSocket(): string {
    return join(this.daemonFolder, "socket");
  }

  /** Locked by the daemon while it runs, so that there is one. */
  get daemonLock(): string {
    return join(this.daemonFolder, "lock");
  }

  /** Locked by the process that starts a daemon. */
  get daemonStartLock(): string {
    return join(this.daemonFolder, "starting");
  }

  /** The daemon's process id, version and address. */
  get daemonInfoFile(): string {
    return join(this.daemonFolder, "info.json");
  }

  /** The folders of all sessions, named by their ids. */
  get sessionsFolder(): string {
    return join(this.folder, "sessions");
  }

  /** The folder of one session: its keeper's socket, its spool and its snapshot. */
  sessionFolder(session: string): string {
    return join(this.sessionsFolder, session);
  }

  /** The end of a session whose journal can take no more events. */
  endMarkerFile(session: string): string {
    return join(this.sessionFolder(session), "ended.json");
  }

  /** The snapshot of one session's actor. */
  snapshotFile(session: string): string {
    return join(this.sessionFolder(session), "snapshot.json");
  }
}
