import type { SpoolRecord } from "@fairlead/contract";
import { SpoolReader, spoolFolder } from "@fairlead/keeper";
import type { KeepEvery } from "../actor-parts.ts";
import { Chance } from "./chance-for-test.ts";
import { KeeperHouse } from "./keeper-house-for-test.ts";
import { SimulatedJournal } from "./simulated-journal-for-test.ts";
import { VirtualDisk } from "./virtual-disk-for-test.ts";
import { VirtualShelf } from "./virtual-shelf-for-test.ts";
import { VirtualTime } from "./virtual-time-for-test.ts";

/** Ways to break the system on purpose, so that it is seen that the simulation would notice. */
export const defects = [
  "actor-forgets-journaled",
  "keeper-without-memory",
  "keeper-without-sync",
  "published-before-written",
  "journal-without-fence",
] as const;
export type Defect = (typeof defects)[number];

/** Everything around the actors of one session: it is theirs together, and it outlives them. */
export class World {
  readonly seed: number;
  readonly defect: Defect | null;
  readonly session = "simulated";
  readonly folder = "/session";
  readonly time = new VirtualTime();
  readonly chance: Chance;
  readonly disk: VirtualDisk;
  readonly journal: SimulatedJournal;
  readonly house: KeeperHouse;
  readonly segmentBytes: number;
  readonly shelf: VirtualShelf;
  readonly keepEvery: KeepEvery;
  /** What was seen to be wrong while it happened. */
  readonly complaints: string[] = [];
  /** The ids of records that a loss of power has taken. */
  readonly lostIds = new Set<string>();
  readonly #trace: ((line: string) => void) | undefined;
  readonly #began: number;

  constructor(
    seed: number,
    options: { readonly defect?: Defect | undefined; readonly trace?: ((line: string) => void) | undefined } = {},
  ) {
    this.seed = seed;
    this.defect = options.defect ?? null;
    this.#trace = options.trace;
    this.#began = this.time.now();
    this.chance = new Chance(seed);
    this.disk = new VirtualDisk(this.chance.fork());
    this.journal = new SimulatedJournal(this.chance.fork(), this.defect !== "journal-without-fence");
    this.house = new KeeperHouse(this);
    this.shelf = new VirtualShelf(this.disk, this.chance.fork());
    this.keepEvery = { records: this.chance.pick([5, 25, 20_000]), bytes: 2 ** 30 };
    this.segmentBytes = this.chance.pick([1024, 4096, 64 * 1024 ** 2]);
  }

  /** All records that were ever written and not lost, also those that were trimmed. */
  get records(): SpoolRecord[] {
    const reader = new SpoolReader(spoolFolder(this.folder), { disk: this.disk.everything });
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  complain(complaint: string): void {
    this.trace(`!!! ${complaint}`);
    this.complaints.push(complaint);
  }

  /** The disk loses what was not synced, and everything that was running is gone. */
  losePower(): void {
    const before = this.records;
    this.house.losePower();
    this.disk.losePower();
    this.shelf.losePower();
    const survived = this.records.at(-1)?.seq ?? 0;
    for (const { seq, id } of before) if (seq > survived && id !== "") this.lostIds.add(id);
    this.trace(`the power takes records ${survived + 1} to ${before.at(-1)?.seq ?? 0}`);
    const journaled = this.journal.events.at(-1)?.spool ?? 0;
    if (journaled > survived) this.complain(`the journal knows record ${journaled}, which the power has taken`);
    const kept = this.shelf.load()?.after ?? 0;
    if (kept > survived) this.complain(`a fold is kept of record ${kept}, which the power has taken`);
  }

  trace(line: string): void {
    this.#trace?.(`${String(this.time.now() - this.#began).padStart(7)} ms  ${line}`);
  }
}
