import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** What a daemon says of itself in a file, so that nobody need ask it. */
export interface DaemonAccount {
  readonly pid: number;
  readonly version: string;
  /** Of the interface that it offers. */
  readonly api: string;
  readonly startedAt: string;
  /** Where it listens besides its socket, as it was told. */
  readonly listen: string | null;
  /** And as it came about. */
  readonly url: string | null;
  /** Of its environment, since that is what agents are given of: what tells values apart, and not the values. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The account of the daemon that is there, or of one that was killed: whoever ends in order takes it away. */
export function readAccount(file: string): DaemonAccount | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DaemonAccount;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Writes it, until disposed of. Only who holds the daemon's lock may. */
export function leaveAccount(file: string, account: DaemonAccount): Disposable {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(account, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}
