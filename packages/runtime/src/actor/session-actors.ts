import { existsSync } from "node:fs";
import type { Adapter } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import { spoolFolder, SpoolReader, startKeeper, type KeeperConnection } from "@fairlead/keeper";
import type { Home } from "../home.ts";
import type { Environment } from "../host/child-environment.ts";
import type { SpareKeepers } from "../host/spare-keepers.ts";
import { realClock } from "./clock.ts";
import { JournalWriter, type JournalWriterOptions } from "./journal-writer.ts";
import type { SnapshotInterval } from "./session-actor-options.ts";
import { SessionActor } from "./session-actor.ts";
import { loadSnapshot, SnapshotFile } from "./snapshot.ts";
import { readNewestEvent } from "./stored-events.ts";

export interface SessionActorsOptions extends Pick<JournalWriterOptions, "onJournaled"> {
  readonly home: Home;
  readonly journal: Journal;
  /** Identifies this process in the journal. */
  readonly owner: string;
  readonly environment: Environment;
  readonly spares: SpareKeepers;
  readonly snapshotInterval?: SnapshotInterval;
}

/** The actors of this process. Disposing releases all sessions and stops none. */
export class SessionActors implements AsyncDisposable {
  readonly #options: SessionActorsOptions;
  readonly #actors = new Set<SessionActor>();

  constructor(options: SessionActorsOptions) {
    this.#options = options;
  }

  /**
   * Claims a session and starts its actor. Resolves when the journal has the events of all records so far. The claim
   * comes before a new keeper, so that other processes know who starts it.
   */
  async start(
    session: string,
    adapter: Adapter,
    existingKeeper: KeeperConnection | "gone",
    signal?: AbortSignal,
  ): Promise<SessionActor> {
    await using resources = new AsyncDisposableStack();
    if (existingKeeper !== "gone") resources.use(existingKeeper);
    const { journal, home, owner, environment, snapshotInterval, onJournaled } = this.#options;
    const folder = home.sessionFolder(session);
    const claim = await journal.claim(session, owner);
    const newest = claim.last === 0 ? undefined : await readNewestEvent(journal, session);
    const keeper = existingKeeper === "gone" ? resources.use(await this.#startKeeperIn(folder)) : existingKeeper;
    const clock = realClock;
    const snapshotStore = new SnapshotFile(home.snapshotFile(session));
    const snapshot = loadSnapshot(snapshotStore, spoolFolder(folder), adapter);
    const observer = onJournaled && { onJournaled };
    const actor = new SessionActor({
      adapter,
      journal: new JournalWriter({ session, owner, claim, log: journal, clock, ...observer }),
      // Nothing follows the end of a session, whatever its spool still has.
      journaledUpTo: newest?.body.type === "session.ended" ? Infinity : (newest?.spool ?? 0),
      spool: new SpoolReader(spoolFolder(folder), { after: snapshot?.upToSeq ?? 0, reuseBuffer: true }),
      snapshot,
      snapshotStore,
      keeper,
      startKeeper: () => startKeeper(folder),
      environment,
      clock,
      ...(snapshotInterval && { snapshotInterval }),
    });
    resources.move(); // the actor closes its connection
    this.#track(actor);
    const release = (): void => void actor[Symbol.asyncDispose]();
    signal?.addEventListener("abort", release);
    await actor.ready.finally(() => signal?.removeEventListener("abort", release));
    return actor;
  }

  /** The process ids of the keepers of all sessions that this process drives. */
  get keeperPids(): readonly number[] {
    return [...this.#actors].filter(({ isFinished }) => !isFinished).map(({ keeper }) => keeper.hello.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#actors].map((actor) => actor[Symbol.asyncDispose]()));
  }

  /** Disposes an actor when it finishes. The others are disposed with this object. */
  #track(actor: SessionActor): void {
    this.#actors.add(actor);
    void actor.finished.then(async () => {
      await actor[Symbol.asyncDispose]();
      this.#actors.delete(actor);
    });
  }

  /** Returns the spare keeper for a new session. A session that has a folder already needs a keeper in that folder. */
  async #startKeeperIn(folder: string): Promise<KeeperConnection> {
    return existsSync(folder) ? await startKeeper(folder) : await this.#options.spares.take(folder);
  }
}
