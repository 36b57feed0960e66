import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** What a daemon publishes about itself in a file, so that clients can read it without a request. */
export interface DaemonInfo {
  readonly pid: number;
  /**
   * Identifies the process even after its pid is reused, in the form of `currentOwner`. Daemons of earlier versions did
   * not write it.
   */
  readonly owner?: string;
  /** Set while the daemon shuts down: clients then do not restart it. */
  readonly stopping?: true;
  readonly version: string;
  /** The version of its API. */
  readonly api: string;
  readonly startedAt: string;
  /** The TCP address that was requested in addition to the socket, as it was typed. */
  readonly listen: string | null;
  /** The origins that were named in addition. Daemons of earlier versions did not write them. */
  readonly origins?: readonly string[];
  /** The resulting URL. Differs from `listen` if any port was requested. */
  readonly url: string | null;
  /** Digests of its environment variables, which agents inherit. Digests, because values may be secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Reads the info of the running daemon, or of one that was killed: a daemon that exits removes its file. */
export function readDaemonInfo(file: string): DaemonInfo | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DaemonInfo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The info file of this process. The caller must hold the daemon's lock until the file is disposed. */
export class DaemonInfoFile implements Disposable {
  readonly #file: string;
  #info: DaemonInfo | null = null;

  constructor(file: string) {
    this.#file = file;
    rmSync(file, { force: true }); // a killed daemon leaves its file
  }

  /** Writes the file. */
  publish(info: DaemonInfo): void {
    this.#info = info;
    const temporaryFile = `${this.#file}.${process.pid}`;
    writeFileSync(temporaryFile, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporaryFile, this.#file);
  }

  /** Writes that the daemon shuts down. The file keeps the process id, so that a daemon that never exits can be killed. */
  publishStopping(): void {
    if (this.#info === null) return;
    try {
      this.publish({ ...this.#info, stopping: true });
    } catch {
      // Without space or without the folder, the process still exits.
    }
  }

  /** Writes the file again if it was removed. Returns whether it had to. */
  restore(): boolean {
    if (this.#info === null || readDaemonInfo(this.#file)?.pid === process.pid) return false;
    this.publish(this.#info);
    return true;
  }

  /** Removes the file, unless another daemon has replaced it. */
  [Symbol.dispose](): void {
    if (readDaemonInfo(this.#file)?.pid === process.pid) rmSync(this.#file, { force: true });
  }
}

/** Reads the version of this package, which the command and its daemon share. Tests can set an older one. */
export function readVersion(environment: Readonly<Record<string, string | undefined>>): string {
  const override = environment["FAIRLEAD_VERSION_FOR_TEST"];
  if (override !== undefined) return override;
  const file = new URL(import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
