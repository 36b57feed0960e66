import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** What a daemon publishes about itself in a file, so that clients can read it without a request. */
export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  /** The version of its API. */
  readonly api: string;
  readonly startedAt: string;
  /** The TCP address that was requested in addition to the socket, as it was typed. */
  readonly listen: string | null;
  /** The resulting URL. Differs from `listen` if any port was requested. */
  readonly url: string | null;
  /** Digests of its environment variables, which agents inherit. Digests, because values may be secrets. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Reads the info of the running daemon, or of one that was killed: a daemon that shuts down removes its file. */
export function readDaemonInfo(file: string): DaemonInfo | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DaemonInfo;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes the file, and removes it on disposal. The caller must hold the daemon's lock. */
export function publishDaemonInfo(file: string, info: DaemonInfo): Disposable {
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporaryFile, file);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** Reads the version of this package, which the command and its daemon share. Tests can set an older one. */
export function readVersion(environment: Readonly<Record<string, string | undefined>>): string {
  const override = environment["FAIRLEAD_VERSION_FOR_TEST"];
  if (override !== undefined) return override;
  const file = new URL(import.meta.url.endsWith(".ts") ? "../package.json" : "../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
