import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { adoptKeeper, startKeeper, type KeeperConnection, type StartKeeperOptions } from "@fairlead/keeper";
import { endOrphanedSpares, spareFolderName } from "./end-orphaned-spares.ts";

/** A running keeper without a session, and its folder. */
interface Spare {
  readonly folder: string;
  readonly connection: KeeperConnection;
}

/** Milliseconds before the next spare is started, so that its start does not slow down the agent of the new session. */
const nextSpareDelay = 500;

/** Keeps one keeper running in advance, so that a new session need not wait for the start of a keeper. */
export class SpareKeepers implements AsyncDisposable {
  readonly #folder: string;
  #spare: Promise<Spare | null> | undefined;
  #cleanup: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pid: number | undefined;
  #preparesGate: boolean;
  readonly #keeperOptions: StartKeeperOptions;

  /** `hasGate`: the first session will probably have a network gate. */
  constructor(folder: string, hasGate = false, keeperOptions: StartKeeperOptions = {}) {
    this.#folder = folder;
    this.#keeperOptions = keeperOptions;
    this.#preparesGate = hasGate;
  }

  /** Starts the first spare, and ends the spares of daemons that were killed. */
  start(): void {
    this.#cleanup = endOrphanedSpares(this.#folder);
    this.prepare();
  }

  /** The process id of the spare, if there is one. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** Starts a spare, unless one exists or is being started. */
  prepare(): void {
    this.#spare ??= this.#startSpare();
  }

  /**
   * Returns a keeper for a new session: the spare, if there is one. Then schedules the start of the next spare. That one
   * prepares a network gate if this session has one, because it needs memory and the next session is probably alike.
   */
  async take(sessionFolder: string, hasGate = false): Promise<KeeperConnection> {
    this.#preparesGate = hasGate;
    const spare = await this.#spare;
    this.#spare = undefined;
    this.#pid = undefined;
    if (!spare) return await startKeeper(sessionFolder, this.#keeperOptions);
    try {
      mkdirSync(dirname(sessionFolder), { recursive: true, mode: 0o700 });
      return await adoptKeeper(spare.folder, sessionFolder);
    } catch {
      return await startKeeper(sessionFolder, this.#keeperOptions); // the spare died
    } finally {
      await spare.connection[Symbol.asyncDispose]();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.prepare(), nextSpareDelay).unref();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    await this.#cleanup;
    const spare = await this.#spare;
    this.#spare = undefined;
    if (!spare) return;
    await spare.connection.send({ do: "leave", id: "leave" }).catch(() => {});
    await spare.connection[Symbol.asyncDispose]();
  }

  async #startSpare(): Promise<Spare | null> {
    const folder = join(this.#folder, spareFolderName(randomUUID().slice(0, 6)));
    try {
      const connection = await startKeeper(folder, this.#keeperOptions);
      this.#pid = connection.hello.pid;
      void connection.closed.then(() => (this.#pid = undefined));
      if (this.#preparesGate) void connection.send({ do: "prepare-gate", id: "prepare-gate" }).catch(() => {});
      return { folder, connection };
    } catch {
      return null; // `take` then starts a keeper and throws the reason if that fails
    }
  }
}
