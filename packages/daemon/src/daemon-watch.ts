import { statSync } from "node:fs";
import type { LocalFairlead } from "@fairlead/service";
import type { HttpService, Observability } from "@fairlead/server";
import type { HomeProblem } from "@fairlead/runtime";
import type { Home } from "@fairlead/runtime/home";
import type { DaemonInfoFile } from "./daemon-info.ts";
import { tryLockFile } from "./daemon-lock.ts";

/** Milliseconds between two checks. A check reads the status of six files. */
const defaultInterval = 2000;

const logMessages: Readonly<Record<HomeProblem["kind"], string>> = {
  removed: "the data directory was removed: ending all agents and this process",
  moved: "the data directory was moved: ending this process",
  "file-removed": "a database was removed: refusing commands that would have to be stored",
};

export interface DaemonWatchOptions {
  readonly home: Home;
  readonly fairlead: Pick<LocalFairlead, "homeProblem" | "terminateKeepers">;
  readonly service: Pick<HttpService, "restoreSocket">;
  readonly infoFile: DaemonInfoFile;
  readonly log: Pick<Observability["log"], "warn" | "error">;
  /** Shuts the daemon down, because another one drives the sessions. */
  readonly shutDown: (reason: string) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
}

/**
 * Notices files of the data directory that are removed under the running daemon. It restores its own lock, info file and
 * socket. If the directory is gone, it ends the process; see docs/internals/decisions/0021-removed-data-directory.md.
 */
export class DaemonWatch implements Disposable {
  readonly #options: DaemonWatchOptions;
  readonly #locks = new DisposableStack();
  readonly #timer: NodeJS.Timeout;
  #lockInode: number | undefined;
  #reported: string | null = null;
  #isChecking = false;

  constructor(options: DaemonWatchOptions, interval: number = defaultInterval) {
    this.#options = options;
    this.#lockInode = inodeOf(options.home.daemonLock);
    this.#timer = setInterval(() => void this.check(), interval).unref();
  }

  /** Checks all files once. Does nothing while another check runs. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      if (!this.#checkHome() && (await this.#checkLock())) await this.#checkAddress();
    } catch (error) {
      this.#options.log.error("the daemon's files could not be restored", error);
    } finally {
      this.#isChecking = false;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#locks.dispose();
  }

  /** Returns whether the process ends. */
  #checkHome(): boolean {
    const { fairlead, log, exit } = this.#options;
    const problem = fairlead.homeProblem;
    if (problem !== null && problem.message !== this.#reported)
      log.error(logMessages[problem.kind], new Error(problem.message));
    this.#reported = problem?.message ?? null;
    if (problem === null || problem.kind === "file-removed") return false;
    // The sessions of a directory that was moved are still recorded there, and a daemon of its new path finds them.
    if (problem.kind === "removed") fairlead.terminateKeepers();
    exit(1); // without closing: the files at this path may already be those of another daemon
    return true;
  }

  /** Takes the lock again if its file was removed. Returns false if another daemon has taken it. */
  async #checkLock(): Promise<boolean> {
    const { home, log, shutDown } = this.#options;
    const inode = inodeOf(home.daemonLock);
    if (inode !== undefined && inode === this.#lockInode) return true;
    const lock = await tryLockFile(home.daemonLock);
    if (lock === null) {
      log.warn("the daemon's lock was removed, and another daemon has it");
      shutDown("another daemon");
      return false;
    }
    this.#locks.use(lock);
    this.#lockInode = inodeOf(home.daemonLock);
    log.warn("the daemon's lock was removed and taken again");
    return true;
  }

  async #checkAddress(): Promise<void> {
    const { infoFile, service, log } = this.#options;
    if (await service.restoreSocket()) log.warn("the daemon's socket was removed and created again");
    if (infoFile.restore()) log.warn("the daemon's info file was removed and written again");
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
