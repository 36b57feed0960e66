import { adapters } from "@fairlead/adapters";
import { FairleadError, type Adapter, type Delta, type EventDraft, type Event } from "@fairlead/contract";
import { KeeperGone, SpoolReader, SpoolTrimmed, spoolFolder } from "@fairlead/keeper";
import { readNewestEvent } from "../../packages/runtime/src/actor/stored-events.ts";
import { JournalWriter } from "../../packages/runtime/src/actor/journal-writer.ts";
import { SessionActor } from "../../packages/runtime/src/actor/session-actor.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
/** The scripted agent without transcripts: reading a real file takes real time, which would make runs differ. */
export const scriptedAdapter: Adapter = Object.fromEntries(
  Object.entries(scripted).filter(([name]) => name !== "transcriptPath"),
) as unknown as Adapter;

/** A process that drives the session, as the runtime does, until it is killed or its actor stops. */
export class SimulatedDaemon {
  readonly process: SimulatedProcess;
  readonly name: string;
  /** The events that its subscriber received. */
  readonly published: Event[] = [];
  /** Settles when the daemon no longer drives the session. Never rejects. */
  readonly ended: Promise<void>;
  actor: SessionActor | null = null;
  epoch = 0;
  /** The error that stopped the actor. */
  cause: unknown;
  /** Whether another daemon had claimed the session by then. */
  isOutdated = false;
  readonly #world: SimulatedWorld;

  constructor(world: SimulatedWorld, name: string) {
    this.#world = world;
    this.name = name;
    this.process = new SimulatedProcess(world.time);
    const running = this.#runActor().catch((error: unknown) => {
      this.cause = error;
      this.isOutdated = world.journal.tail.epoch !== this.epoch;
      world.trace(`${name} stops: ${String(error)}`);
      this.process.end();
    });
    this.ended = Promise.race([running, this.process.exited]);
  }

  /**
   * An actor may stop because another daemon took over, or because its keeper is gone. Another daemon then continues.
   */
  get isAtFault(): boolean {
    const { cause } = this;
    if (cause === undefined || cause instanceof KeeperGone) return false;
    const isFenced = FairleadError.is(cause, "fenced") || cause instanceof SpoolTrimmed;
    return isFenced ? !this.isOutdated : !FairleadError.isInstance(cause);
  }

  async #runActor(): Promise<void> {
    const { session, folder, machine, disk, journal, snapshotStore, snapshotInterval, defect } = this.#world;
    const { process, name } = this;
    const log = journal.openFor(process);
    const keeper = machine.hasKeeper ? await machine.connect(process) : await machine.start(process);
    const claim = await log.claim(session, name);
    this.epoch = claim.epoch;
    const journaledUpTo = (await readNewestEvent(log, session))?.spool ?? 0;
    const snapshot = snapshotStore.load();
    this.#world.trace(
      `${name} claims epoch ${claim.epoch}; snapshot up to ${snapshot?.upToSeq ?? 0}, journal up to ${journaledUpTo}`,
    );
    const writerOptions = { session, owner: name, claim, log, clock: process.clock };
    const actor = new SessionActor({
      adapter: scriptedAdapter,
      journal:
        defect === "published-before-written"
          ? new EagerJournalWriter(writerOptions, claim.epoch)
          : new JournalWriter(writerOptions),
      journaledUpTo: defect === "actor-forgets-journaled" ? 0 : journaledUpTo,
      spool: new SpoolReader(spoolFolder(folder), { after: snapshot?.upToSeq ?? 0, disk: disk.mount(process) }),
      snapshot,
      snapshotStore,
      snapshotInterval,
      keeper,
      startKeeper: () => machine.start(process),
      environment: {},
      clock: process.clock,
    });
    const subscription = actor.subscribe();
    const collecting = this.#collectPublished(subscription);
    await Promise.race([actor.ready, collecting]);
    this.actor = actor;
    await collecting;
    this.#world.trace(`${name} closes the session`);
    process.end();
  }

  async #collectPublished(subscription: AsyncIterable<Event | Delta>): Promise<void> {
    for await (const output of subscription) if ("body" in output) this.published.push(output);
  }
}

/** Returns events before they are appended, which a journal writer must not do. */
class EagerJournalWriter extends JournalWriter {
  readonly #epoch: number;
  #appending: Promise<unknown> = Promise.resolve();
  #nextSequence: number;

  constructor(options: ConstructorParameters<typeof JournalWriter>[0], epoch: number) {
    super(options);
    this.#epoch = epoch;
    this.#nextSequence = this.lastSequence;
  }

  override async append(outputs: readonly (EventDraft | Delta)[], signal: AbortSignal): Promise<(Event | Delta)[]> {
    this.#appending = this.#appending.then(() => super.append(outputs, signal)).catch(() => {});
    return outputs.map((output) =>
      "body" in output ? { ...output, sequence: ++this.#nextSequence, epoch: this.#epoch } : output,
    );
  }
}

/** Whether an error is a final rejection of a command, not a failure that a retry may fix. */
export function isRejection(error: unknown): boolean {
  return FairleadError.isInstance(error) && !["unavailable", "fenced"].includes(error.code);
}
