import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { adoptKeeper, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import { endOrphanedSpares, spareName } from "./end-orphaned-spares.ts";

/** A keeper that waits for a session, in a folder of its own. */
interface Spare {
  readonly folder: string;
  readonly connection: KeeperConnection;
}

/** Milliseconds that the agent of a new session has the machine to itself before the next spare is started. */
const courtesy = 500;

/** Keeps one keeper started and waiting, so that a session need not wait for one to start. */
export class SpareKeepers implements AsyncDisposable {
  readonly #folder: string;
  #next: Promise<Spare | null> | undefined;
  #sweeping: Promise<void> | undefined;
  #later: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Begins to keep spares, and ends those of others like us who were killed. */
  begin(): void {
    this.#sweeping = endOrphanedSpares(this.#folder);
    this.prepare();
  }

  /** Starts a spare, unless one is there or on its way. */
  prepare(): void {
    this.#next ??= this.#start();
  }

  /** A keeper for a new session: the spare if there is one, and then another is started for the next session. */
  async take(sessionFolder: string): Promise<KeeperConnection> {
    const spare = await this.#next;
    this.#next = undefined;
    if (!spare) return await startKeeper(sessionFolder);
    try {
      mkdirSync(dirname(sessionFolder), { recursive: true, mode: 0o700 });
      return await adoptKeeper(spare.folder, sessionFolder);
    } catch {
      return await startKeeper(sessionFolder); // the spare has died while it waited
    } finally {
      await spare.connection[Symbol.asyncDispose]();
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.prepare(), courtesy).unref();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#later);
    await this.#sweeping;
    const spare = await this.#next;
    this.#next = undefined;
    if (!spare) return;
    await spare.connection.send({ do: "leave", id: "leave" }).catch(() => {});
    await spare.connection[Symbol.asyncDispose]();
  }

  async #start(): Promise<Spare | null> {
    const folder = join(this.#folder, spareName(randomUUID().slice(0, 6)));
    try {
      return { folder, connection: await startKeeper(folder) };
    } catch {
      return null; // whoever wants a keeper will start one and be told why that fails
    }
  }
}
