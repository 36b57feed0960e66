import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { adapters } from "@fairlead/adapters";
import type { Adapter, Event } from "@fairlead/contract";
import { isAlive, type ProcessIdentity } from "@fairlead/keeper";
import { Home, Runtime } from "@fairlead/runtime";

/** A home and a workspace that are gone, with whatever still runs in them, when a proof is over. */
export class Ground implements AsyncDisposable {
  // The path of a keeper's socket must be short.
  readonly folder = mkdtempSync(join(tmpdir(), "g-"));
  readonly home = new Home(join(this.folder, "h"));
  readonly environment: Readonly<Record<string, string | undefined>>;

  constructor(environment: Readonly<Record<string, string | undefined>> = process.env) {
    this.environment = { ...environment, XDG_STATE_HOME: this.folder };
  }

  /** A folder for an agent to work in. */
  workspace(name = "w"): string {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  open(known: readonly Adapter[] = adapters): Promise<Runtime> {
    return Runtime.open({ home: this.home, adapters: known, environment: this.environment });
  }

  /** All that the journal has of a session, whoever drives it. */
  async journal(session: string): Promise<Event[]> {
    await using runtime = await this.open();
    return await Array.fromAsync(runtime.events(session, 0));
  }

  /** The keeper of a session, while it lives. */
  keeper(session: string): ProcessIdentity | null {
    return keeperIn(this.home.session(session));
  }

  /** Asks each keeper that is left to end its agent and go, and waits until it has; those too that wait for a session. */
  async [Symbol.asyncDispose](): Promise<void> {
    const folders = [...foldersIn(join(this.home.folder, "sessions")), ...foldersIn(this.home.spares)];
    const keepers = folders.flatMap((folder) => keeperIn(folder) ?? []);
    for (const { pid } of keepers) process.kill(pid, "SIGTERM");
    while (keepers.some(isAlive)) await wait(20);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function keeperIn(folder: string): ProcessIdentity | null {
  try {
    const known = JSON.parse(readFileSync(join(folder, "keeper.json"), "utf8")) as ProcessIdentity;
    return isAlive(known) ? known : null;
  } catch {
    return null;
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return []; // none was started
  }
}
