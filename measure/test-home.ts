import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { adapters } from "@fairlead/adapters";
import type { Adapter, Event } from "@fairlead/contract";
import { isProcessAlive, type ProcessIdentity } from "@fairlead/keeper";
import { Home, Runtime } from "@fairlead/runtime";

/** A data directory and workspaces that are removed when disposed, after all processes in them have ended. */
export class TestHome implements AsyncDisposable {
  // The path of a keeper's socket must be short.
  readonly folder = mkdtempSync(join(tmpdir(), "g-"));
  readonly home = new Home(join(this.folder, "h"));
  readonly environment: Readonly<Record<string, string | undefined>>;

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    this.environment = { ...environment, XDG_STATE_HOME: this.folder };
  }

  /** Creates a folder for an agent to work in. */
  workspace(name = "w"): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Opens a runtime, with other variables if they are passed. */
  open(
    knownAdapters: readonly Adapter[] = adapters,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Runtime> {
    const environment = { ...this.environment, ...variables };
    return Runtime.open({ home: this.home, adapters: knownAdapters, environment });
  }

  /** Returns all events of a session. */
  async readJournal(session: string): Promise<Event[]> {
    await using runtime = await this.open();
    return await Array.fromAsync(runtime.events(session, 0));
  }

  /** The process id of a session's running keeper. */
  findKeeper(session: string): ProcessIdentity | null {
    return readLiveKeeper(this.home.sessionFolder(session));
  }

  /** Asks each running keeper, also spare ones, to end its agent and exit, and waits for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const folders = [...listFolders(this.home.sessionsFolder), ...listFolders(this.home.sparesFolder)];
    const keepers = folders.flatMap((folder) => readLiveKeeper(folder) ?? []);
    for (const { pid } of keepers) process.kill(pid, "SIGTERM");
    while (keepers.some(isProcessAlive)) await wait(20);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function readLiveKeeper(folder: string): ProcessIdentity | null {
  try {
    const keeper = JSON.parse(readFileSync(join(folder, "keeper.json"), "utf8")) as ProcessIdentity;
    return isProcessAlive(keeper) ? keeper : null;
  } catch {
    return null;
  }
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // none was started
  }
}
