import { existsSync } from "node:fs";
import { isOpen, type Adapter, type Event, type NoteOf, type Sandbox } from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Claim, Journal } from "@fairlead/journal";
import { spoolFolder, SpoolReader, type KeeperConnection, type SecretValues } from "@fairlead/keeper";
import { CompactionArchive } from "../archive/compaction-archive.ts";
import type { Home } from "../home.ts";
import { ImageWriter, type ImageWriterOptions } from "../moving/image-writer.ts";
import type { Environment } from "../host/child-environment.ts";
import { FileObserver } from "../files/file-observer.ts";
import { WorkspaceActivity } from "../files/workspace-activity.ts";
import {
  assertAttended,
  attendKeeper,
  shortenAttendance,
  startAttendedKeeper,
  type KeeperAttendance,
} from "../host/keeper-attendance.ts";
import type { SpareKeepers } from "../host/spare-keepers.ts";
import type { SessionProjections } from "../projection/session-projections.ts";
import type { ToolRunnerOptions } from "../tools/tool-runner.ts";
import { realClock } from "./clock.ts";
import { JournalWriter, type JournalWriterOptions } from "./journal-writer.ts";
import type { SnapshotInterval } from "./session-actor-options.ts";
import { SessionActor } from "./session-actor.ts";
import { readSecrets } from "../sessions/secret-file.ts";
import { claimHere } from "../sessions/start/claim-here.ts";
import { findWithheldKeys, SessionMasks } from "../masks/session-masks.ts";
import { loadSnapshot, SnapshotFile } from "./snapshot.ts";
import { decodeEvents, readNewestEvent } from "./stored-events.ts";

export interface SessionActorsOptions extends Pick<JournalWriterOptions, "onJournaled"> {
  readonly home: Home;
  readonly journal: Journal;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  /** Identifies this process in the journal. */
  readonly owner: string;
  readonly environment: Environment;
  readonly spares: SpareKeepers;
  /** Until when agents may work. Without it, they continue without this process. */
  readonly attendance?: KeeperAttendance | undefined;
  readonly projections: SessionProjections;
  readonly snapshotInterval?: SnapshotInterval;
  /** Stores images of sessions, if another host may continue them. */
  readonly images?: Pick<ImageWriterOptions, "objects" | "snapshotWorkspace" | "onError">;
  /** Whether to compare the files of workspaces. */
  readonly observeFiles?: boolean;
  /** Returns the tool of this name that is offered to a session. */
  readonly findTool?: ToolRunnerOptions["findTool"];
  /** The keys that a session's agent must not have. They are masked, and a call that contains such a mask is denied. */
  readonly withheld?: (session: string) => readonly string[];
}

export interface ActorStartOptions {
  /** The claim of a caller that has claimed the session. By default, the actor claims it. */
  readonly claim?: Claim;
  readonly signal?: AbortSignal | undefined;
  /** Whether the agent of a new session has a network gate. */
  readonly hasGate?: boolean;
}

interface TrackedActor {
  readonly session: string;
  /** Settles when the actor is disposed and its index row is written. */
  readonly released: Promise<void>;
}

/** The actors of this process. Disposing releases all sessions and stops none. */
export class SessionActors implements AsyncDisposable {
  readonly #options: SessionActorsOptions;
  readonly #actors = new Map<SessionActor, TrackedActor>();
  readonly #masks: SessionMasks;
  readonly #activity = new WorkspaceActivity();
  readonly #archives = new Set<CompactionArchive>();
  readonly #forcedEnds = new Map<string, Pick<NoteOf<"lost">, "error">>();

  constructor(options: SessionActorsOptions) {
    this.#options = options;
    this.#masks = new SessionMasks(options.home.maskKeyFile);
  }

  /**
   * Starts the actor of a session, and claims it first unless the caller has. Resolves when the journal has the events of
   * all records so far. The claim comes before a new keeper, so that other processes know who starts it.
   */
  async start(
    session: string,
    adapter: Adapter,
    existingKeeper: KeeperConnection | "gone",
    { claim: existingClaim, signal, hasGate = false }: ActorStartOptions = {},
  ): Promise<SessionActor> {
    await using resources = new AsyncDisposableStack();
    const { journal, hosts, home, owner, environment, snapshotInterval, projections } = this.#options;
    if (existingKeeper !== "gone") {
      resources.use(existingKeeper);
      shortenAttendance(existingKeeper, this.#options.attendance);
    }
    const folder = home.sessionFolder(session);
    // The caller that canceled the start may have claimed the session.
    signal?.throwIfAborted();
    const claim = existingClaim ?? (await claimHere({ journal, hosts, owner }, session));
    if (existingKeeper !== "gone") attendKeeper(existingKeeper, this.#options.attendance);
    const newest = claim.last === 0 ? undefined : await readNewestEvent(journal, session);
    const keeper =
      existingKeeper === "gone" ? resources.use(await this.#startKeeperIn(folder, hasGate)) : existingKeeper;
    const clock = realClock;
    const { manifest } = adapter;
    const withheld = (sandbox: Sandbox | undefined): readonly string[] => [
      ...(this.#options.withheld?.(session) ?? []),
      ...findWithheldKeys(sandbox, environment),
    ];
    const sessionSecrets = (): SecretValues => readSecrets(home.secretsFile(session));
    const snapshotStore = new SnapshotFile(home.snapshotFile(session));
    const snapshot = loadSnapshot(snapshotStore, spoolFolder(folder), adapter);
    const tracked = projections.track(session, claim);
    resources.defer(() => projections.release(session, tracked, false));
    const readEvents = (): AsyncIterable<Event> => decodeEvents(journal.read(session, 0));
    const archive = new CompactionArchive({ folder: home.archiveFolder(session), readEvents });
    const onJournaled = (event: Event): void => {
      tracked.add(event);
      archive.notice(event);
      this.#options.onJournaled?.(event);
    };
    const actor = new SessionActor({
      adapter,
      journal: new JournalWriter({ session, owner, claim, log: journal, clock, onJournaled }),
      // Nothing follows the end of a session, whatever its spool still has.
      journaledUpTo: newest?.body.type === "session.ended" ? Infinity : (newest?.spool ?? 0),
      spool: new SpoolReader(spoolFolder(folder), { after: snapshot?.upToSeq ?? 0, reuseBuffer: true }),
      snapshot,
      snapshotStore,
      keeper,
      startKeeper: () => startAttendedKeeper(folder, this.#options.attendance),
      environment,
      readSecrets: sessionSecrets,
      createMasks: (sandbox) =>
        this.#masks.create({ manifest, environment, secrets: sessionSecrets, withheld: withheld(sandbox) }),
      isWithheld: (text, sandbox) => this.#masks.containsWithheld(text, withheld(sandbox)),
      readForcedEnd: () => this.#takeForcedEnd(session),
      clock,
      ...(snapshotInterval && { snapshotInterval }),
      ...(this.#options.findTool && { findTool: this.#options.findTool }),
      ...(this.#options.images && {
        imageWriter: new ImageWriter({
          ...this.#options.images,
          session,
          epoch: claim.epoch,
          log: journal,
          adapter,
          environment,
        }),
      }),
      ...(this.#options.observeFiles && {
        createFileObserver: (observed) =>
          new FileObserver(observed, {
            folder: home.filesFolder(session),
            turnsFile: home.turnsFile(session),
            excluded: home.folder,
            activity: this.#activity,
          }),
      }),
    });
    resources.move(); // the actor closes its connection
    this.#track(session, actor, (isSettled) => projections.release(session, tracked, isSettled));
    this.#archives.add(archive);
    void actor.finished.then(() => archive.settled()).then(() => this.#archives.delete(archive));
    const release = (): void => void actor[Symbol.asyncDispose]();
    signal?.addEventListener("abort", release);
    await actor.ready.finally(() => signal?.removeEventListener("abort", release));
    return actor;
  }

  /** Throws `unavailable` if this process may not start an agent of a session that it continues. */
  assertAttended(): void {
    assertAttended(this.#options.attendance);
  }

  /** Sets why this process is about to kill the keeper of a session. An actor records it with the loss of the agent. */
  expectForcedEnd(session: string, error: NonNullable<NoteOf<"lost">["error"]>): void {
    this.#forcedEnds.set(session, { error });
  }

  #takeForcedEnd(session: string): Pick<NoteOf<"lost">, "error"> {
    const end = this.#forcedEnds.get(session);
    this.#forcedEnds.delete(session);
    return end ?? {};
  }

  /** The process ids of the keepers of all sessions that this process drives. */
  get keeperPids(): readonly number[] {
    return [...this.#actors.keys()].filter(({ isFinished }) => !isFinished).map(({ keeper }) => keeper.hello.pid);
  }

  /** Sends the newest deadlines to the keepers of all sessions that this process drives. */
  attendKeepers(): void {
    for (const actor of this.#actors.keys())
      if (!actor.isFinished) attendKeeper(actor.keeper, this.#options.attendance);
  }

  /**
   * Releases a session if it has ended. Resolves when this process writes nothing more of it: an actor that has finished may still
   * push a snapshot and store an image.
   */
  async releaseEnded(session: string): Promise<void> {
    const releasing = [...this.#actors].map(async ([actor, { session: driven, released }]) => {
      if (driven !== session || !(actor.isFinished || actor.state.ledger.over)) return;
      await actor[Symbol.asyncDispose]();
      await released;
    });
    await Promise.allSettled(releasing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const actors = [...this.#actors];
    await Promise.all(actors.map(([actor]) => actor[Symbol.asyncDispose]()));
    await Promise.all(actors.map(([, { released }]) => released));
    await Promise.all([...this.#archives].map((archive) => archive[Symbol.asyncDispose]()));
  }

  /** Disposes an actor when it finishes. The others are disposed with this object. */
  #track(session: string, actor: SessionActor, release: (isSettled: boolean) => Promise<void>): void {
    const released = actor.finished.then(async () => {
      await actor[Symbol.asyncDispose]();
      await release(isSettled(actor));
      this.#actors.delete(actor);
    });
    this.#actors.set(actor, { session, released });
  }

  /** Returns the spare keeper for a new session. A session that has a folder already needs a keeper in that folder. */
  async #startKeeperIn(folder: string, hasGate: boolean): Promise<KeeperConnection> {
    const { attendance, spares } = this.#options;
    if (existsSync(folder)) return await startAttendedKeeper(folder, attendance);
    const keeper = await spares.take(folder, hasGate);
    attendKeeper(keeper, attendance);
    return keeper;
  }
}

/** Whether no process needs to drive the session of an actor that has finished: it has ended, or is to stay paused. */
function isSettled({ state: { ledger, desiredState, stoppedFor } }: SessionActor): boolean {
  return ledger.over || (desiredState === "pause" && isOpen(ledger, "pause") && stoppedFor !== "moved");
}
