import { FairleadError, openTurn } from "@fairlead/contract";
import type { Delta, Event, EventDraft, Manifest, Note, SpoolRecord } from "@fairlead/contract";
import { SpoolTrimmed, type KeeperConnection } from "@fairlead/keeper";
import { SessionReducer, type SessionState } from "@fairlead/reducer";
import type { SessionActorOptions } from "./session-actor-options.ts";
import { isDormant } from "./is-dormant.ts";
import { alarmNotePrefix, Alarms, type Alarm } from "./alarms.ts";
import { PendingNotes } from "./pending-notes.ts";
import { sleep } from "./clock.ts";
import { isEvent, type JournalWriter } from "./journal-writer.ts";
import { retryUntil, type RetryOptions } from "./retry-until.ts";
import { EffectSender } from "./effect-sender.ts";
import { KeeperLink } from "./keeper-link.ts";
import { StateWaiters } from "./state-waiters.ts";
import type { Subscription, SubscriptionOptions } from "./subscription.ts";
import { requestForNote } from "./keeper-requests.ts";
import { SessionOutput } from "./session-output.ts";
import { SnapshotSchedule } from "./snapshot-schedule.ts";
import { storeSnapshot } from "./store-snapshot.ts";
import { createRequestReader } from "../gate/read-decision.ts";
import { TerminalRecorder } from "../terminal/terminal-recorder.ts";
import type { FileObserver } from "../files/file-observer.ts";
import type { ImageState, ImageWriter } from "../moving/image-writer.ts";
import { TranscriptTracker } from "../transcript/transcript-tracker.ts";

/**
 * Drives one session: reads the spool, reduces its records, appends new events to the journal, and sends the resulting
 * effects to the keeper. All of its state can be rebuilt from the spool, the journal and, once the spool was trimmed, the
 * snapshot. The process may therefore be killed at any time.
 */
export class SessionActor implements AsyncDisposable {
  readonly #options: SessionActorOptions;
  readonly #reducer: SessionReducer;
  readonly #effects: EffectSender;
  readonly #alarms: Alarms;
  readonly #pendingNotes: PendingNotes;
  readonly #snapshotSchedule: SnapshotSchedule;
  readonly #transcripts: TranscriptTracker;
  readonly #terminalRecorder: TerminalRecorder;
  /** Compares the files of the workspace, if the runtime does that. */
  readonly fileObserver: FileObserver | undefined;
  /** Stores what another host needs to continue the session, in a fleet. */
  readonly imageWriter: ImageWriter | undefined;
  readonly output = new SessionOutput();
  readonly #stateWaiters = new StateWaiters();
  readonly #closing = new AbortController();
  readonly #retryOptions: RetryOptions;
  readonly #ready = Promise.withResolvers<void>();
  /** Resolves when the events of all records that were in the spool at the start are in the journal. */
  readonly ready: Promise<void> = this.#ready.promise;
  readonly #finished: Promise<void>;
  readonly #keeperLink: KeeperLink;
  #lastProcessed: number;
  /** False while the actor catches up. Effects, alarms and snapshots start after that. */
  #isLive = false;
  /** Set when the actor stops. `submitNote` then throws the reason, because a caller would wait without a limit. */
  #termination: { readonly reason: unknown; readonly failure: unknown } | null = null;

  constructor(options: SessionActorOptions) {
    this.#options = options;
    const { snapshot } = options;
    this.#reducer = new SessionReducer(options.adapter, snapshot?.state, createRequestReader(options.adapter.manifest));
    const recordAlarm = ({ name, effectId }: Alarm): void =>
      void this.#effects.send(requestForNote({ type: "alarm", name }, `${alarmNotePrefix}${effectId}`));
    this.#alarms = new Alarms(options.clock, recordAlarm, snapshot?.alarms);
    this.#pendingNotes = new PendingNotes(snapshot?.rejections);
    this.#transcripts = new TranscriptTracker(options.adapter, options.environment);
    this.#terminalRecorder = new TerminalRecorder(options.adapter, options.environment);
    this.#snapshotSchedule = new SnapshotSchedule(options.snapshotInterval);
    this.#retryOptions = { clock: options.clock, signal: this.#closing.signal };
    this.#lastProcessed = snapshot?.upToSeq ?? 0;
    this.#keeperLink = new KeeperLink(options.keeper, () => options.createMasks?.(this.state.opening?.sandbox) ?? []);
    this.#effects = new EffectSender({ ...options, keeperLink: this.#keeperLink, retryOptions: this.#retryOptions });
    this.fileObserver = options.createFileObserver?.(this);
    this.imageWriter = options.imageWriter;
    this.#ready.promise.catch(() => {}); // without a caller that awaits it, a failure must not be an unhandled rejection
    this.#finished = this.#run();
  }

  get state(): SessionState {
    return this.#reducer.state;
  }

  get #progress(): Pick<ImageState, "upToSeq" | "state" | "rejections"> {
    return { upToSeq: this.#lastProcessed, state: this.state, rejections: this.#pendingNotes.rejections };
  }

  /** The manifest of the session's adapter. */
  get manifest(): Manifest {
    return this.#options.adapter.manifest;
  }

  /** The end of the journal, as this actor writes it. */
  get end(): Pick<JournalWriter, "epoch" | "lastSequence"> {
    return this.#options.journal;
  }

  /** Subscribes to events and deltas from this call on. Throws `fenced` to the reader if another process takes over. */
  subscribe(options?: SubscriptionOptions<Event | Delta>): Subscription<Event | Delta> {
    return this.output.subscribe(options);
  }

  /**
   * Waits until a condition on the state is true. Resolves also when the signal aborts or this process releases the
   * session. Throws `fenced` if another process takes over.
   */
  async waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    await this.#stateWaiters.waitUntil(condition, signal);
  }

  /** Settles, and never rejects, when the actor stops: the session ended, it was released, or another process owns it. */
  get finished(): Promise<void> {
    return this.#finished;
  }

  get isFinished(): boolean {
    return this.#termination !== null;
  }

  /** The error that ended the actor. Undefined while it runs, after its release, and if another process took over. */
  get failure(): unknown {
    return this.#termination?.failure;
  }

  /**
   * Records a note in the spool and waits until the actor has processed it. Throws if the note is a command that is
   * rejected. A note with the same id is the same note and has the same outcome. Returns the number of its record, and the
   * turn that was open before it: null if there was none, or if the note was processed before.
   */
  async submitNote(note: Note, id: string): Promise<{ readonly seq: number; readonly openTurn: string | null }> {
    if (this.#termination !== null) throw this.#termination.reason;
    const outcome = this.#pendingNotes.outcome(id);
    const { seq, duplicate } = await this.#keeperLink.sendUntilRecorded(requestForNote(note, id), this.#finished);
    if (duplicate && seq <= this.#lastProcessed) this.#pendingNotes.settle(id);
    return { seq, openTurn: await outcome };
  }

  /** The connection to the keeper, for requests that concern neither the spool nor the journal. */
  get keeper(): KeeperConnection {
    return this.#keeperLink.keeper;
  }

  /** Releases the session. The agent and its keeper continue to run. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dismissKeeperIfDormant();
    // A note of this actor may be on its way. Then the loop that follows the keeper reads it and dismisses the keeper.
    if (isDormant(this.state))
      await Promise.race([this.#keeperLink.keeper.closed, sleep(this.#options.clock, 1000, this.#closing.signal)]);
    this.#closing.abort();
    this.#alarms[Symbol.dispose]();
    await this.#keeperLink.keeper[Symbol.asyncDispose]();
    await this.#finished;
    await this.fileObserver?.[Symbol.asyncDispose]();
    await this.imageWriter?.[Symbol.asyncDispose]();
  }

  async #run(): Promise<void> {
    try {
      await this.#catchUp();
      this.#ready.resolve();
      for (;;) {
        await this.#followKeeper();
        if (this.#closing.signal.aborted) break;
        await this.#processNewRecords();
        if (isDormant(this.state)) break;
        // The keeper was killed, and its agent processes with it.
        this.#keeperLink.replace(await this.#options.startKeeper());
        this.#effects.resendAll();
        this.#terminalRecorder.resendAll();
        await this.#recordLostProcess();
        await this.#runEffects();
      }
      this.#finish(undefined);
    } catch (error) {
      // If records are missing, the process that owns the session now trimmed them.
      const cause =
        error instanceof SpoolTrimmed ? await this.#options.journal.findFencingError().catch(() => null) : null;
      this.#finish(cause ?? error);
    }
  }

  #finish(cause: unknown): void {
    this.#alarms[Symbol.dispose]();
    this.output.end(cause);
    this.#stateWaiters.end(cause);
    const reason = cause ?? new FairleadError("unavailable", "This process has released the session.");
    const isFailure = !this.#closing.signal.aborted && !FairleadError.is(cause, "fenced");
    this.#termination = { reason, failure: isFailure ? cause : undefined };
    this.#pendingNotes.rejectAll(reason);
    this.#ready.reject(reason);
  }

  async #catchUp(): Promise<void> {
    await this.#processNewRecords();
    await this.#recordLostProcess();
    this.#isLive = true;
    this.fileObserver?.begin(this.#lastProcessed);
    this.#alarms.arm();
    await this.#runEffects();
  }

  /** Processes new records until the connection ends: the actor closes it, or the keeper exits or is killed. */
  async #followKeeper(): Promise<void> {
    for await (const knownEnd of this.#keeperLink.keeper.wakes) {
      // Dismiss the keeper only after new records. A caller that attaches to a paused session is about to send a command.
      if ((await this.#processNewRecords(knownEnd)) > 0) await this.#dismissKeeperIfDormant();
    }
  }

  async #dismissKeeperIfDormant(): Promise<void> {
    if (isDormant(this.state))
      await this.#effects.send({ do: "leave", id: `leave-${this.#lastProcessed}`, after: this.#lastProcessed });
  }

  /** Records the loss of a process that an earlier keeper held: it was launched before this keeper started. */
  async #recordLostProcess(): Promise<void> {
    const { running, launchedAt } = this.state;
    if (!running || launchedAt > (this.#keeperLink.keeper.hello.startSeq ?? 0)) return;
    const note = { type: "lost", ...this.#options.readForcedEnd?.() } as const;
    await this.#effects.send(requestForNote(note, `lost-${launchedAt}`));
    await this.#processNewRecords();
    await this.#dismissKeeperIfDormant();
  }

  /**
   * Processes new spool records: reduce, append events to the journal, publish, then run effects. Returns the number of
   * records. `knownEnd` avoids a read that finds nothing, which costs as much as one that finds records.
   */
  async #processNewRecords(knownEnd = Infinity): Promise<number> {
    const before = this.#lastProcessed;
    const { spool, journal, journaledUpTo } = this.#options;
    const readBatch = (): readonly SpoolRecord[] => (this.#lastProcessed < knownEnd ? spool.read() : []);
    for (let records = readBatch(); records.length > 0; records = readBatch()) {
      const outputs: (EventDraft | Delta)[] = [];
      const settlements: (() => void)[] = [];
      const newRecords = records.filter(({ seq }) => seq > this.#lastProcessed);
      for (const record of newRecords) this.#processRecord(record, outputs, settlements);
      const notes = journal.encodeNotes(newRecords.filter(({ seq }) => seq > journaledUpTo));
      // Order matters. Sync the spool before appending: after a power loss the journal must not contain an event whose
      // record is gone. Append before publishing: clients must not see an event that a crash could undo.
      if (notes.length > 0 || outputs.some(isEvent)) await this.#syncSpool();
      const appended = await journal.append(outputs, this.#closing.signal, notes);
      // Read before a client sees the pause and resumes: the next turn would change the transcript.
      const fingerprints = this.#isLive ? await Array.fromAsync(this.#transcripts.takeDue(outputs, this.state)) : [];
      for (const output of appended) this.output.publish(output);
      if (this.#isLive) this.fileObserver?.notice(outputs, this.#lastProcessed);
      // The journal has all events of this state.
      this.imageWriter?.notice(outputs, { ...this.#progress, lastSequence: journal.lastSequence });
      for (const request of fingerprints) await this.#effects.send(request);
      for (const settle of settlements) settle();
      this.#stateWaiters.check();
      await this.#saveSnapshot();
      if (this.#isLive) await this.#runEffects();
    }
    return this.#lastProcessed - before;
  }

  /** Makes the processed records durable, and retries until the disk allows it. Does nothing if the keeper synced them. */
  async #syncSpool(): Promise<void> {
    if (this.#lastProcessed <= this.#keeperLink.keeper.syncedSeq) return;
    await retryUntil(() => this.#options.spool.sync(), this.#retryOptions);
  }

  #processRecord(record: SpoolRecord, outputs: (EventDraft | Delta)[], settlements: (() => void)[]): void {
    const turn = openTurn(this.state.ledger);
    const reduction = this.#reducer.reduce(record);
    this.#lastProcessed = record.seq;
    this.#snapshotSchedule.addRecord(record.bytes.length);
    this.#effects.update(record, reduction.outputs, this.state.opening?.sandbox);
    for (const effect of reduction.pendingEffects) if (!this.#alarms.apply(effect)) this.#effects.add(effect);
    if (record.seq > this.#options.journaledUpTo) outputs.push(...reduction.outputs);
    if (record.kind !== "note") return;
    if (record.id.startsWith(alarmNotePrefix)) this.#alarms.clearRung(record.id.slice(alarmNotePrefix.length));
    this.#pendingNotes.recordOutcome(record.id, reduction.rejection, turn);
    settlements.push(() => this.#pendingNotes.settle(record.id));
  }

  async #runEffects(): Promise<void> {
    for await (const request of this.#terminalRecorder.takeDue(this.state)) await this.#effects.send(request);
    await this.#effects.sendAll(this.state);
  }

  /** Saves a snapshot when one is due, so that the records before it need not be read again, and lets the keeper trim. */
  async #saveSnapshot(): Promise<void> {
    if (!this.#isLive || !this.#snapshotSchedule.isDue) return;
    this.#snapshotSchedule.restart();
    // A snapshot must not include a record that a power loss could remove.
    await this.#syncSpool();
    const snapshot = {
      ...this.#progress,
      adapterVersion: this.#options.adapter.manifest.version,
      pendingEffects: this.#effects.pendingEffects,
      alarms: this.#alarms.pending,
      approvals: this.#effects.pendingApprovals,
    };
    if (!(await storeSnapshot(this.#options.snapshotStore, snapshot, this.#retryOptions))) return;
    if (!this.#keeperLink.keeper.features.has("trim")) return;
    await this.#effects.send({ do: "trim", id: `trim-${this.#lastProcessed}`, upTo: this.#lastProcessed });
  }
}
