import { FairleadError, isOpen } from "@fairlead/contract";
import { FrameRefused, KeeperGone, SpoolTrimmed, type Frame, type KeeperConnection } from "@fairlead/keeper";
import { Fold, type FoldState, type Order } from "@fairlead/kit";
import type { Delta, Draft, Event, Note, SpoolRecord } from "@fairlead/contract";
import { usualKeeping, type ActorParts } from "./actor-parts.ts";
import { alarmPrefix, Alarms, type Alarm } from "./alarms.ts";
import { AwaitedNotes } from "./awaited-notes.ts";
import { Broadcast } from "./broadcast.ts";
import { pause } from "./clock.ts";
import { insist, type Insistence } from "./insist.ts";
import { isPassing } from "./is-passing.ts";
import { KeeperLine } from "./keeper-line.ts";
import type { Listening, ListeningOptions } from "./listening.ts";
import { noteFrame } from "./note-frame.ts";
import { OpenApprovals } from "./open-approvals.ts";
import { OrderBook } from "./order-book.ts";
import { orderFrame } from "./order-frame.ts";
import { fingerprint, Witness } from "./transcript-witness.ts";

/**
 * Drives one session: reads the spool, folds it, writes what is new into the journal, and has the keeper do what
 * follows. It keeps nothing that the spool and the journal do not have, so it may be killed at any instant.
 */
export class SessionActor implements AsyncDisposable {
  readonly #parts: ActorParts;
  readonly #fold: Fold;
  readonly #orders: OrderBook;
  readonly #alarms: Alarms;
  readonly #approvals: OpenApprovals;
  readonly #notes: AwaitedNotes;
  readonly #witness = new Witness();
  readonly #told = new Broadcast<Event | Delta>();
  readonly #leaving = new AbortController();
  readonly #ready = Promise.withResolvers<void>();
  readonly #running: Promise<void>;
  readonly #line: KeeperLine;
  #read: number;
  /** What has been read since the fold was last kept. */
  #unkept = { records: 0, bytes: 0 };
  #live = false;
  /** Set when nobody drives any more, with why: whoever wishes for something then would wait for ever. */
  #ended: { readonly reason: unknown } | null = null;

  constructor(parts: ActorParts) {
    this.#parts = parts;
    const { kept } = parts;
    this.#fold = new Fold(parts.adapter, kept?.state);
    this.#orders = new OrderBook(kept?.orders);
    this.#alarms = new Alarms(parts.clock, (alarm) => void this.#ring(alarm), kept?.alarms);
    this.#approvals = new OpenApprovals(kept?.approvals);
    this.#notes = new AwaitedNotes(kept?.refusals);
    this.#read = kept?.after ?? 0;
    this.#line = new KeeperLine(parts.keeper);
    this.#ready.promise.catch(() => {}); // whoever awaits it is told; nobody need
    this.#running = this.#run();
  }

  get state(): FoldState {
    return this.#fold.state;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#parts.pen.last;
  }

  /** Resolves when all that was in the spool at the start is in the journal; rejects if that failed. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** What is told from this moment on. Throws `fenced` to its reader when another process has taken over. */
  listen(options?: ListeningOptions): Listening<Event | Delta> {
    return this.#told.listen(options);
  }

  /** Settles, and never rejects, when nobody drives the session any more: it is over, let go of, or another's. */
  get finished(): Promise<void> {
    return this.#running;
  }

  get isFinished(): boolean {
    return this.#ended !== null;
  }

  /**
   * Puts a note into the spool and waits until it has been acted upon; throws if it was a wish that is refused. The same
   * id again is the same note, with the same outcome.
   */
  async note(note: Note, id: string): Promise<void> {
    if (this.#ended !== null) throw this.#ended.reason;
    const outcome = this.#notes.outcome(id);
    const { seq, duplicate } = await this.#line.deliver(noteFrame(note, id), this.#running);
    if (duplicate && seq <= this.#read) this.#notes.settle(id);
    await outcome;
  }

  /** The keeper, for what concerns neither spool nor journal. */
  get keeper(): KeeperConnection {
    return this.#line.keeper;
  }

  /** Lets go of the session and leaves everything running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
    // A note of ours may be on its way; whoever follows reads it, and then the keeper is let go of.
    if (this.#isQuiet())
      await Promise.race([this.#line.keeper.closed, pause(this.#parts.clock, 1000, this.#leaving.signal)]);
    this.#leaving.abort();
    this.#alarms[Symbol.dispose]();
    await this.#line.keeper[Symbol.asyncDispose]();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#catchUp();
      this.#ready.resolve();
      for (;;) {
        await this.#follow();
        if (this.#leaving.signal.aborted) break;
        await this.#readOn();
        if (this.#isQuiet()) break;
        // The keeper was killed, and its agents with it.
        this.#line.succeed(await this.#parts.startKeeper());
        this.#orders.giveAgain();
        await this.#mourn();
        await this.#carryOut();
      }
      this.#finish(undefined);
    } catch (error) {
      // Records that are gone were trimmed by whoever owns the session now.
      const cause = error instanceof SpoolTrimmed ? await this.#parts.pen.fencedBy().catch(() => null) : null;
      this.#finish(cause ?? error);
    }
  }

  #finish(cause: unknown): void {
    this.#alarms[Symbol.dispose]();
    this.#told.end(cause);
    const reason = cause ?? new FairleadError("unavailable", "The session has been let go of.");
    this.#ended = { reason };
    this.#notes.fail(reason);
    this.#ready.reject(reason);
  }

  async #catchUp(): Promise<void> {
    await this.#readOn();
    await this.#mourn();
    this.#live = true;
    this.#alarms.arm();
    await this.#carryOut();
  }

  /** Acts upon what the keeper tells of until the connection ends: by us, by its leaving, or by its death. */
  async #follow(): Promise<void> {
    for await (const grown of this.#line.keeper.wakes) {
      // Only news makes us send the keeper away: whoever attaches to a paused session is about to wish for something.
      if ((await this.#readOn(grown)) > 0) await this.#release();
    }
  }

  /** Lets the keeper go, if nothing runs and nothing is meant to. */
  async #release(): Promise<void> {
    if (this.#isQuiet()) await this.#do({ do: "leave", id: `leave-${this.#read}`, after: this.#read });
  }

  /** Writes down that a process was lost with the keeper that held it: this keeper began after it was launched. */
  async #mourn(): Promise<void> {
    const { running, launchedAt } = this.state;
    if (!running || launchedAt > (this.#line.keeper.hello.since ?? 0)) return;
    await this.#do(noteFrame({ type: "lost" }, `lost-${launchedAt}`));
    await this.#readOn();
  }

  /** Reads, as far as the spool is known to have grown, folds, writes and acts; gives how many records were new. */
  async #readOn(grown = Infinity): Promise<number> {
    const before = this.#read;
    const { spool, pen } = this.#parts;
    // To look whether there is more costs as much as to read, so who knows that there is not does not look.
    const next = (): readonly SpoolRecord[] => (this.#read < grown ? spool.read() : []);
    for (let records = next(); records.length > 0; records = next()) {
      const told: (Draft | Delta)[] = [];
      const settled: (() => void)[] = [];
      for (const record of records) if (record.seq > this.#read) this.#take(record, told, settled);
      // The journal must not know of what a loss of power could take out of the spool.
      if (told.some((one) => "body" in one)) await this.#secure();
      // Nobody is shown an event that a crash could take back.
      for (const one of await pen.write(told, this.#leaving.signal)) this.#told.publish(one);
      if (this.#live) for (const id of this.#witness.moments(told)) await this.#transcribe(id);
      for (const settle of settled) settle();
      await this.#keep();
      if (this.#live) await this.#carryOut();
    }
    return this.#read - before;
  }

  /** Makes durable what was read, as soon as the disk allows it, where the keeper has not done so. */
  async #secure(): Promise<void> {
    if (this.#read <= this.#line.keeper.synced) return;
    await insist(
      () => this.#parts.spool.sync(),
      this.#insistence(() => true),
    );
  }

  #insistence(passes: (error: unknown) => boolean): Insistence {
    return { clock: this.#parts.clock, signal: this.#leaving.signal, passes };
  }

  #take(record: SpoolRecord, told: (Draft | Delta)[], settled: (() => void)[]): void {
    const folded = this.#fold.take(record);
    this.#read = record.seq;
    this.#unkept = { records: this.#unkept.records + 1, bytes: this.#unkept.bytes + record.bytes.length };
    this.#orders.close(record.id);
    for (const order of folded.orders) this.#enter(order);
    for (const one of folded.told) this.#approvals.note(one);
    if (record.seq > this.#parts.journaled) told.push(...folded.told);
    if (record.kind !== "note") return;
    if (record.id.startsWith(alarmPrefix)) this.#alarms.rang(record.id.slice(alarmPrefix.length));
    this.#notes.read(record.id, folded.refusal);
    settled.push(() => this.#notes.settle(record.id));
  }

  #enter(order: Order): void {
    if (order.effect.type === "alarm") this.#alarms.set(order);
    else if (order.effect.type === "disarm") this.#alarms.clear(order.effect.name);
    else this.#orders.enter(order);
  }

  async #carryOut(): Promise<void> {
    if (this.state.ledger.over) this.#orders.clear();
    for (const order of this.#orders.due()) {
      const frame = orderFrame(order, this.#parts.adapter, this.#parts.environment);
      if (frame !== null) await this.#do(frame);
    }
    await this.#answerByMode();
  }

  async #do(frame: Frame): Promise<void> {
    try {
      await insist(() => this.#line.keeper.send(frame), this.#insistence(isPassing));
    } catch (error) {
      // What is refused for good is done with. A keeper that has gone is noticed by whoever follows it.
      if (error instanceof FrameRefused) this.#orders.close(frame.id);
      else if (!(error instanceof KeeperGone)) throw error;
    }
  }

  /** In full-auto, every approval is answered with yes; the answer's id makes it one, however often it is given. */
  async #answerByMode(): Promise<void> {
    if (this.state.opening?.mode !== "full-auto") return;
    for (const decision of this.#approvals.all) {
      const wish = { type: "answer", decision, answer: { type: "allow" }, by: "mode" } as const;
      await this.#do(noteFrame({ type: "wish", wish }, `mode-${decision}`));
    }
  }

  async #ring({ name, order }: Alarm): Promise<void> {
    await this.#do(noteFrame({ type: "alarm", name }, `${alarmPrefix}${order}`));
  }

  /** Writes down what the agent's own record of the conversation is now. */
  async #transcribe(id: string): Promise<void> {
    const { opening, agentSessionId, transcript: before } = this.state;
    if (opening === null || agentSessionId === null) return;
    const path = this.#parts.adapter.transcript?.(opening, agentSessionId, this.#parts.environment);
    const transcript = path === undefined ? null : fingerprint(path, before);
    if (transcript !== null) await this.#do(noteFrame({ type: "transcript", transcript }, `transcript-${id}`));
  }

  /** Keeps the fold now and then, so that what was read need not be read again, and lets the keeper drop it. */
  async #keep(): Promise<void> {
    const { records, bytes } = this.#parts.keepEvery ?? usualKeeping;
    if (!this.#live || (this.#unkept.records < records && this.#unkept.bytes < bytes)) return;
    this.#unkept = { records: 0, bytes: 0 };
    // A fold must not be kept of what a loss of power could take.
    await this.#secure();
    const kept = {
      after: this.#read,
      adapterVersion: this.#parts.adapter.manifest.version,
      state: this.state,
      orders: this.#orders.open,
      alarms: this.#alarms.pending,
      approvals: this.#approvals.all,
      refusals: this.#notes.refusals,
    };
    await insist(
      () => this.#parts.shelf.save(kept),
      this.#insistence(() => true),
    );
    if (!this.#line.keeper.features.has("trim")) return;
    await this.#do({ do: "trim", id: `trim-${this.#read}`, upTo: this.#read });
  }

  /** Nothing runs and nothing is meant to: the keeper may go. */
  #isQuiet(): boolean {
    const { ledger, running, launching, aim } = this.state;
    return !running && !launching && (ledger.over || (aim === "pause" && isOpen(ledger, "pause")));
  }
}
