import { adapters } from "@fairlead/adapters";
import { FairleadError, type Adapter, type Delta, type Draft, type Event } from "@fairlead/contract";
import { KeeperGone, SpoolReader, SpoolTrimmed, spoolFolder } from "@fairlead/keeper";
import { newestEvent } from "../event-bytes.ts";
import { Pen } from "../pen.ts";
import { SessionActor } from "../session-actor.ts";
import { Life } from "./life-for-test.ts";
import type { World } from "./world-for-test.ts";

export const adapter = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;

/** A process that drives the session, as the runtime does it, until it is killed or its actor gives up. */
export class Daemon {
  readonly life: Life;
  readonly name: string;
  /** What its subscriber was told. */
  readonly published: Event[] = [];
  /** Settles when it drives no more, and never rejects. */
  readonly ended: Promise<void>;
  actor: SessionActor | null = null;
  epoch = 0;
  /** Why the actor gave up. */
  cause: unknown;
  /** Whether somebody else had claimed the session by then. */
  isOutdated = false;
  readonly #world: World;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.life = new Life(world.time);
    const driven = this.#drive().catch((error: unknown) => {
      this.cause = error;
      this.isOutdated = world.journal.tail.epoch !== this.epoch;
      world.trace(`${name} gives up: ${String(error)}`);
      this.life.end();
    });
    this.ended = Promise.race([driven, this.life.death]);
  }

  /** An actor may give up because of others, or because its keeper is gone; then somebody else goes on. */
  get isAtFault(): boolean {
    const { cause } = this;
    if (cause === undefined || cause instanceof KeeperGone) return false;
    const isFenced = FairleadError.is(cause, "fenced") || cause instanceof SpoolTrimmed;
    return isFenced ? !this.isOutdated : !FairleadError.isInstance(cause);
  }

  async #drive(): Promise<void> {
    const { session, folder, house, disk, journal, shelf, keepEvery, defect } = this.#world;
    const { life, name } = this;
    const log = journal.for(life);
    const keeper = house.isOccupied ? await house.connect(life) : await house.start(life);
    const claim = await log.claim(session, name);
    this.epoch = claim.epoch;
    const journaled = (await newestEvent(log, session))?.spool ?? 0;
    const kept = shelf.load();
    this.#world.trace(`${name} claims epoch ${claim.epoch}; kept up to ${kept?.after ?? 0}, journaled to ${journaled}`);
    const penParts = { session, owner: name, claim, log, clock: life.clock };
    const actor = new SessionActor({
      adapter,
      pen: defect === "published-before-written" ? new HastyPen(penParts, claim.epoch) : new Pen(penParts),
      journaled: defect === "actor-forgets-journaled" ? 0 : journaled,
      spool: new SpoolReader(spoolFolder(folder), { after: kept?.after ?? 0, disk: disk.mount(life) }),
      kept,
      shelf,
      keepEvery,
      keeper,
      startKeeper: () => house.start(life),
      environment: {},
      clock: life.clock,
    });
    const told = actor.listen();
    const listening = this.#listen(told);
    await Promise.race([actor.ready, listening]);
    this.actor = actor;
    await listening;
    this.#world.trace(`${name} lets go`);
    life.end();
  }

  async #listen(told: AsyncIterable<Event | Delta>): Promise<void> {
    for await (const one of told) if ("body" in one) this.published.push(one);
  }
}

/** Hands events out before they are written: what a pen must not do. */
class HastyPen extends Pen {
  readonly #epoch: number;
  #writing: Promise<unknown> = Promise.resolve();
  #next: number;

  constructor(parts: ConstructorParameters<typeof Pen>[0], epoch: number) {
    super(parts);
    this.#epoch = epoch;
    this.#next = this.last;
  }

  override async write(told: readonly (Draft | Delta)[], signal: AbortSignal): Promise<(Event | Delta)[]> {
    this.#writing = this.#writing.then(() => super.write(told, signal)).catch(() => {});
    return told.map((one) => ("body" in one ? { ...one, sequence: ++this.#next, epoch: this.#epoch } : one));
  }
}

/** Whether a wish got its answer, though a negative one. */
export function isRefusal(error: unknown): boolean {
  return FairleadError.isInstance(error) && !["unavailable", "fenced"].includes(error.code);
}
