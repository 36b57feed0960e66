import { FairleadError, isOpen, type Adapter, type Delta, type Draft, type Event, type Note } from "@fairlead/contract";
import type { Claim, Journal } from "@fairlead/journal";
import {
  FrameRefused,
  KeeperGone,
  spoolFolder,
  SpoolReader,
  type Frame,
  type KeeperConnection,
} from "@fairlead/keeper";
import { Fold, type FoldState, type Order } from "@fairlead/kit";
import { Alarms } from "./alarms.ts";
import { Broadcast } from "./broadcast.ts";
import { childEnvironment, type Environment } from "./child-environment.ts";
import { toBytes } from "./event-bytes.ts";

export interface ActorParts {
  readonly session: string;
  readonly folder: string;
  readonly adapter: Adapter;
  readonly journal: Journal;
  readonly claim: Claim;
  /** The last spool record whose events the journal already has. */
  readonly journaled: number;
  readonly keeper: KeeperConnection;
  /** Whether the keeper was started for us: then what the one before it held is lost. */
  readonly isNewKeeper: boolean;
  /** Starts another keeper when this one is gone. */
  readonly startKeeper: () => Promise<KeeperConnection>;
  readonly environment: Environment;
  readonly owner: string;
}

/**
 * Drives one session: reads the spool, folds it, appends what is new to the journal, and has the keeper do what
 * follows. It keeps nothing that the spool and the journal do not have, so it may be killed at any instant.
 */
export class SessionActor implements AsyncDisposable {
  readonly #parts: ActorParts;
  readonly #fold: Fold;
  readonly #reader: SpoolReader;
  /** Orders whose record has not been seen in the spool yet, and those of them that the keeper was given. */
  readonly #pending = new Map<string, Order>();
  readonly #given = new Set<string>();
  /** Those who wait for their note to be acted upon, by its id. */
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** Approvals that are open; questions are not among them, for nobody but a person can answer those. */
  readonly #approvals = new Set<string>();
  readonly #told = new Broadcast<Event | Delta>();
  readonly #alarms = new Alarms((name, order) => void this.#ring(name, order));
  readonly #leaving = new AbortController();
  #keeper: KeeperConnection;
  #last: number;
  #fence: bigint;
  #read = 0;
  #live = false;
  readonly #ready = Promise.withResolvers<void>();
  readonly #running: Promise<void>;

  constructor(parts: ActorParts) {
    this.#parts = parts;
    this.#fold = new Fold(parts.adapter);
    this.#reader = new SpoolReader(spoolFolder(parts.folder));
    this.#keeper = parts.keeper;
    this.#last = parts.claim.last;
    this.#fence = parts.claim.fence;
    this.#ready.promise.catch(() => {}); // whoever awaits it is told; nobody need
    this.#running = this.#run();
  }

  get state(): FoldState {
    return this.#fold.state;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** Resolves when all that was in the spool at the start is in the journal; rejects if that failed. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** What is told from this moment on. Throws `fenced` to its reader when another process has taken over. */
  listen(): AsyncIterableIterator<Event | Delta> & Disposable {
    return this.#told.listen();
  }

  /** Puts a note into the spool and waits until it has been acted upon; throws if it was a wish that is refused. */
  async note(note: Note, id: string): Promise<void> {
    const acted = Promise.withResolvers<void>();
    acted.promise.catch(() => {});
    this.#waiting.set(id, acted);
    const { seq, duplicate } = await this.#keeper.send({ do: "note", id, text: JSON.stringify(note) });
    if (duplicate && seq <= this.#read) acted.resolve();
    await acted.promise;
  }

  /** Lets go of the session and leaves everything running. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
    this.#leaving.abort();
    this.#alarms[Symbol.dispose]();
    await this.#keeper[Symbol.asyncDispose]();
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
        this.#keeper = await this.#parts.startKeeper();
        this.#given.clear();
        await this.#mourn();
        await this.#carryOut();
      }
      this.#finish(undefined);
    } catch (error) {
      this.#finish(error);
    }
  }

  /** Acts upon what the keeper tells of until the connection ends: by us, by its leaving, or by its death. */
  async #follow(): Promise<void> {
    for await (const _ of this.#keeper.wakes) {
      // Only news makes us send the keeper away: whoever attaches to a paused session is about to wish for something.
      if ((await this.#readOn()) > 0) await this.#release();
    }
  }

  async #release(): Promise<void> {
    if (this.#isQuiet()) await this.#do({ do: "leave", id: `leave-${this.#read}`, after: this.#read });
  }

  /** Writes down that a process was lost with the keeper that held it. */
  async #mourn(): Promise<void> {
    if (!this.state.running) return;
    await this.#do({ do: "note", id: `lost-${this.#read}`, text: JSON.stringify({ type: "lost" } satisfies Note) });
    await this.#readOn();
  }

  #finish(cause: unknown): void {
    this.#alarms[Symbol.dispose]();
    this.#told.end(cause);
    const reason = cause ?? new FairleadError("unavailable", "The session has been let go of.");
    for (const waiter of this.#waiting.values()) waiter.reject(reason);
    this.#ready.reject(reason);
  }

  async #catchUp(): Promise<void> {
    await this.#readOn();
    if (this.#parts.isNewKeeper) await this.#mourn();
    this.#live = true;
    this.#alarms.arm();
    await this.#carryOut();
  }

  /** Reads, folds, appends and acts; gives the number of records that were new. */
  async #readOn(): Promise<number> {
    const before = this.#read;
    for (let records = this.#reader.read(); records.length > 0; records = this.#reader.read()) {
      const told: (Draft | Delta)[] = [];
      const settled: (() => void)[] = [];
      for (const record of records) {
        const folded = this.#fold.take(record);
        if (record.seq > this.#parts.journaled) told.push(...folded.told);
        for (const one of folded.told) if ("body" in one) this.#noteApproval(one);
        this.#pending.delete(record.id);
        this.#given.delete(record.id);
        for (const order of folded.orders) this.#enter(order);
        const waiter = this.#waiting.get(record.id);
        this.#waiting.delete(record.id);
        if (waiter)
          settled.push(() => (folded.refusal === null ? waiter.resolve() : waiter.reject(refused(folded.refusal))));
        this.#read = record.seq;
      }
      await this.#append(told);
      for (const settle of settled) settle();
      if (this.#live) await this.#carryOut();
    }
    return this.#read - before;
  }

  async #append(told: readonly (Draft | Delta)[]): Promise<void> {
    const { session, claim, owner, journal } = this.#parts;
    const first = this.#last + 1;
    let sequence = this.#last;
    const out = told.map((one) => ("body" in one ? { ...one, sequence: ++sequence, epoch: claim.epoch } : one));
    const events = out.filter((one) => "body" in one).map(toBytes);
    if (events.length > 0) {
      this.#fence = await journal.append({ session, epoch: claim.epoch, first, events, owner }, this.#fence);
      this.#last = sequence;
    }
    // Nobody is shown an event that a crash could take back.
    for (const one of out) this.#told.publish(one);
  }

  #enter(order: Order): void {
    if (order.effect.type === "alarm") this.#alarms.set(order);
    else if (order.effect.type === "disarm") this.#alarms.clear(order.effect.name);
    else this.#pending.set(order.id, order);
  }

  async #carryOut(): Promise<void> {
    if (this.state.ledger.over) this.#pending.clear();
    for (const [id, order] of this.#pending) {
      if (this.#given.has(id)) continue;
      this.#given.add(id);
      const frame = this.#frame(order);
      if (frame !== null) await this.#do(frame);
    }
    await this.#answerByMode();
  }

  #frame({ id, effect }: Order): Frame | null {
    switch (effect.type) {
      case "launch": {
        const { environment, adapter } = this.#parts;
        const env = childEnvironment(environment, adapter.manifest.environment, effect.line.env);
        return { do: "launch", id, line: { ...effect.line, env } };
      }
      case "say":
        return { do: "say", id, text: effect.text };
      case "signal":
        return { do: "signal", id, signal: effect.signal };
      case "hangup":
      case "kill":
        return { do: effect.type, id };
      case "alarm":
      case "disarm":
        return null;
      default:
        return effect satisfies never;
    }
  }

  async #do(frame: Frame): Promise<void> {
    try {
      await this.#keeper.send(frame);
    } catch (error) {
      // What is refused will be refused again. A keeper that has gone is noticed by whoever follows it.
      if (error instanceof FrameRefused) this.#pending.delete(frame.id);
      else if (!(error instanceof KeeperGone)) throw error;
    }
  }

  /** In full-auto, every approval is answered with yes; the answer's id makes it one answer, however often it is given. */
  async #answerByMode(): Promise<void> {
    if (this.state.opening?.mode !== "full-auto") return;
    for (const decision of this.#approvals) {
      this.#approvals.delete(decision);
      const wish = { type: "answer", decision, answer: { type: "allow" }, by: "mode" } as const;
      await this.#do({ do: "note", id: `mode-${decision}`, text: JSON.stringify({ type: "wish", wish }) });
    }
  }

  #noteApproval({ body }: Draft): void {
    if (body.type === "decision.requested" && body.kind === "approval") this.#approvals.add(body.decision);
    if (body.type === "decision.resolved") this.#approvals.delete(body.decision);
  }

  async #ring(name: string, order: string): Promise<void> {
    this.#alarms.clear(name);
    await this.#do({ do: "note", id: `alarm-${order}`, text: JSON.stringify({ type: "alarm", name }) });
  }

  /** Nothing runs and nothing is meant to: the keeper may go. */
  #isQuiet(): boolean {
    const { ledger, running, aim } = this.state;
    return !running && (ledger.over || (aim === "pause" && isOpen(ledger, "pause")));
  }
}

function refused(code: FairleadError["code"]): FairleadError {
  const why: Partial<Record<FairleadError["code"], string>> = {
    "session-ended": "The session has ended.",
    "session-paused": "The session is paused: resume it first.",
    "session-not-paused": "The session is not paused.",
    "no-open-turn": "No turn is going on.",
    "decision-not-open": "That decision is not open: it was answered already, or withdrawn.",
  };
  return new FairleadError(code, why[code] ?? code);
}
