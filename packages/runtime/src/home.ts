import { join, resolve } from "node:path";

/** Where everything is kept. The journal is one file; every session has a folder for its keeper and its spool. */
export class Home {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = resolve(folder); // keepers are found by it from elsewhere too
  }

  get journal(): string {
    return join(this.folder, "journal.db");
  }

  /** Where keepers wait that have no session yet. */
  get spares(): string {
    return join(this.folder, "spares");
  }

  /** What programs said of themselves. */
  get probes(): string {
    return join(this.folder, "probes.json");
  }

  session(session: string): string {
    return join(this.folder, "sessions", session);
  }
}
