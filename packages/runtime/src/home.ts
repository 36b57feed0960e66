import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { FairleadError } from "@fairlead/contract";

/**
 * The limit of a data directory's path in bytes. The longest path in it, a keeper's socket, is 35 bytes longer, and the
 * systems allow 103 (macOS).
 */
const maxPathBytes = 68;

/** Why a directory cannot be used, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not write to it",
  EPERM: "this user may not write to it",
  EROFS: "its disk is read-only",
  ENOTDIR: "a part of its path is not a folder",
  EEXIST: "it is not a folder",
  ENOSPC: "its disk is full",
};

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

  /**
   * Creates the directory with access for its owner only: write access would grant approvals, read access all content.
   * Throws `not-allowed` if it cannot be written, and `invalid-settings` if its path is too long for the sockets in it.
   */
  create(): void {
    const length = Buffer.byteLength(this.folder);
    if (length > maxPathBytes) {
      const message = `The path of the data directory ${this.folder} is too long: it has ${length} bytes, and the limit is ${maxPathBytes}, because it contains sockets.`;
      throw new FairleadError("invalid-settings", `${message} Set FAIRLEAD_HOME to a shorter path.`);
    }
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      if ((statSync(this.folder).mode & 0o077) !== 0) chmodSync(this.folder, 0o700);
      accessSync(this.folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      const problem = `The data directory ${this.folder} cannot be used: ${reasons[code] ?? message}.`;
      throw new FairleadError(
        "not-allowed",
        `${problem} Set FAIRLEAD_HOME to another folder, or give this one back to its user.`,
        {
          cause: error,
        },
      );
    }
  }

  /** The events of all sessions. */
  get journalFile(): string {
    return join(this.folder, "journal.db");
  }

  /** The index of all sessions. It can be rebuilt from the journal. */
  get indexFile(): string {
    return join(this.folder, "index.db");
  }

  /** The outcomes of commands by idempotency key. */
  get idempotencyFile(): string {
    return join(this.folder, "idempotency.db");
  }

  /** Access tokens, as digests. */
  get tokensFile(): string {
    return join(this.folder, "tokens.json");
  }

  /** Objects of the engine: the files in which agents keep their memory, in a fleet. */
  get objectsFolder(): string {
    return join(this.folder, "objects");
  }

  /** The user's configuration, written by hand. */
  get configFile(): string {
    return join(this.folder, "config.yaml");
  }

  /** The user's policy, written by hand and by answers that are to count from now on. */
  get policyFile(): string {
    return join(this.folder, "policy.yaml");
  }

  /** Workspace files that the owner trusts. */
  get trustedFile(): string {
    return join(this.folder, "trusted.json");
  }

  /** The key of the masks that stand for secrets. */
  get maskKeyFile(): string {
    return join(this.folder, "mask-key");
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

  /** The id of a host of a fleet. Its data directory is not for a daemon without the fleet. */
  get hostIdFile(): string {
    return join(this.folder, "host-id");
  }

  /** The folders of all sessions, named by their ids. */
  get sessionsFolder(): string {
    return join(this.folder, "sessions");
  }

  /** A file for each start that is in progress, named by the id of the session. */
  get startsFolder(): string {
    return join(this.folder, "starts");
  }

  /** Marks one start that is in progress. */
  startMarkerFile(session: string): string {
    return join(this.startsFolder, session);
  }

  /** The folders of sessions whose start failed, until they are removed. They are named by the ids of the sessions. */
  get discardedFolder(): string {
    return join(this.folder, "discarded");
  }

  /** The folders of sessions that come from other hosts, until they are complete. They are named by the ids of the sessions. */
  get arrivalsFolder(): string {
    return join(this.folder, "arrivals");
  }

  /** The isolated copies that sessions work in. Each is named by the id of the session that it was made for. */
  get copiesFolder(): string {
    return join(this.folder, "copies");
  }

  /** One isolated copy: a clone of a person's repository, and a file about it that its agent does not see. */
  copyFolder(session: string): string {
    return join(this.copiesFolder, session);
  }

  /** The clones of repositories that sessions work in, unless the runtime is given another folder. */
  get workspacesFolder(): string {
    return join(this.folder, "workspaces");
  }

  /** What Fairlead keeps about clones and snapshots, one folder for each session. No agent sees it. */
  get snapshotsFolder(): string {
    return join(this.folder, "snapshots");
  }

  snapshotFolder(session: string): string {
    return join(this.snapshotsFolder, session);
  }

  /** The runs of the foreman: their events, the state of their workflows, and their repositories. */
  get foremanFolder(): string {
    return join(this.folder, "foreman");
  }

  /** The events of all runs. */
  get runLogFile(): string {
    return join(this.foremanFolder, "runs.db");
  }

  /** The state of the workflows of all runs. */
  get workflowLogFile(): string {
    return join(this.foremanFolder, "workflows.db");
  }

  /** The repository of one run. No agent sees more of it than its objects. */
  runRepository(run: string): string {
    return join(this.foremanFolder, `${run}.git`);
  }

  /** The folder of one session: its keeper's socket, its spool and its snapshot. */
  sessionFolder(session: string): string {
    return join(this.sessionsFolder, session);
  }

  /** The end of a session whose journal can take no more events. */
  endMarkerFile(session: string): string {
    return join(this.sessionFolder(session), "ended.json");
  }

  /** The text of one session's secret settings. */
  secretsFile(session: string): string {
    return join(this.sessionFolder(session), "secrets.json");
  }

  /** The kept index of one session's workspace, and the content of files that changed. */
  filesFolder(session: string): string {
    return join(this.sessionFolder(session), "files");
  }

  /** The states of the workspace at the start and the end of each turn of one session. */
  turnsFile(session: string): string {
    return join(this.sessionFolder(session), "turns.jsonl");
  }

  /** The turns and changed files of one session, so that they need not be read from all its events. */
  outlineFile(session: string): string {
    return join(this.sessionFolder(session), "outline.json");
  }

  /** Readable copies of what a session's agent was about to forget. */
  archiveFolder(session: string): string {
    return join(this.sessionFolder(session), "archive");
  }

  /** The snapshot of one session's actor. */
  snapshotFile(session: string): string {
    return join(this.sessionFolder(session), "snapshot.json");
  }
}
