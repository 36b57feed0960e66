import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where everything is kept. The journal is one file; every session has a folder for its keeper and its spool. */
export class Home {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = resolve(folder); // keepers are found by it from elsewhere too
  }

  /** Makes it, for its owner alone: whoever could write here could let himself in, and whoever could read, read all. */
  make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    if ((statSync(this.folder).mode & 0o077) !== 0) chmodSync(this.folder, 0o700);
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
