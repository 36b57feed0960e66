import { join } from "node:path";

/** Where the daemon of a home is found, and what it leaves there. */
export interface DaemonPlace {
  readonly home: string;
  /** Only its owner may enter. */
  readonly folder: string;
  readonly socket: string;
  /** Held by the daemon for as long as it lives; so there is one. */
  readonly lock: string;
  /** Held by whoever is starting one. */
  readonly starting: string;
  readonly account: string;
  readonly log: string;
  readonly tokens: string;
  /** There once anything was started. */
  readonly journal: string;
}

export function daemonPlace(home: string): DaemonPlace {
  const folder = join(home, "daemon");
  return {
    home,
    folder,
    socket: join(folder, "socket"),
    lock: join(folder, "lock"),
    starting: join(folder, "starting"),
    account: join(folder, "account.json"),
    log: join(home, "daemon.log"),
    tokens: join(home, "tokens.json"),
    journal: join(home, "journal.db"),
  };
}
