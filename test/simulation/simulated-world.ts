import type { SpoolRecord } from "@fairlead/contract";
import { SpoolReader, spoolFolder } from "@fairlead/keeper";
import type { SnapshotInterval } from "../../packages/runtime/src/actor/session-actor-options.ts";
import { SeededRandom } from "./seeded-random.ts";
import { SimulatedMachine } from "./simulated-machine.ts";
import { SimulatedJournal } from "./simulated-journal.ts";
import { VirtualDisk } from "./virtual-disk.ts";
import { VirtualSnapshotStore } from "./virtual-snapshot-store.ts";
import { VirtualTime } from "./virtual-time.ts";

/** Deliberate defects. Each proves that the simulation would detect it. */
export const defects = [
  "actor-forgets-journaled",
  "keeper-without-memory",
  "keeper-without-sync",
  "published-before-written",
  "journal-without-fence",
] as const;
export type Defect = (typeof defects)[number];

/** The shared environment of all actors of one session. It outlives them. */
export class SimulatedWorld {
  readonly seed: number;
  readonly defect: Defect | null;
  readonly session = "simulated";
  readonly folder = "/session";
  readonly time = new VirtualTime();
  readonly random: SeededRandom;
  readonly disk: VirtualDisk;
  readonly journal: SimulatedJournal;
  readonly machine: SimulatedMachine;
  readonly segmentBytes: number;
  readonly snapshotStore: VirtualSnapshotStore;
  readonly snapshotInterval: SnapshotInterval;
  /** Violations detected while the simulation runs. */
  readonly violations: string[] = [];
  /** The ids of records lost in a loss of power. */
  readonly lostIds = new Set<string>();
  readonly #trace: ((line: string) => void) | undefined;
  readonly #startedAt: number;

  constructor(
    seed: number,
    options: { readonly defect?: Defect | undefined; readonly trace?: ((line: string) => void) | undefined } = {},
  ) {
    this.seed = seed;
    this.defect = options.defect ?? null;
    this.#trace = options.trace;
    this.#startedAt = this.time.now();
    this.random = new SeededRandom(seed);
    this.disk = new VirtualDisk(this.random.fork());
    this.journal = new SimulatedJournal(this.random.fork(), this.defect !== "journal-without-fence");
    this.machine = new SimulatedMachine(this);
    this.snapshotStore = new VirtualSnapshotStore(this.disk, this.random.fork());
    this.snapshotInterval = { records: this.random.pick([5, 25, 20_000]), bytes: 2 ** 30 };
    this.segmentBytes = this.random.pick([1024, 4096, 64 * 1024 ** 2]);
  }

  /** All records that were written and not lost, including trimmed ones. */
  get records(): SpoolRecord[] {
    const reader = new SpoolReader(spoolFolder(this.folder), { disk: this.disk.withRemovedFiles });
    const records: SpoolRecord[] = [];
    for (let batch = reader.read(); batch.length > 0; batch = reader.read()) records.push(...batch);
    return records;
  }

  reportViolation(violation: string): void {
    this.trace(`!!! ${violation}`);
    this.violations.push(violation);
  }

  /** Removes unsynced data from the disk and ends all processes of the machine. */
  losePower(): void {
    const recordsBefore = this.records;
    this.machine.losePower();
    this.disk.losePower();
    this.snapshotStore.losePower();
    const lastSurvivingSeq = this.records.at(-1)?.seq ?? 0;
    for (const { seq, id } of recordsBefore) if (seq > lastSurvivingSeq && id !== "") this.lostIds.add(id);
    this.trace(`the loss of power removes records ${lastSurvivingSeq + 1} to ${recordsBefore.at(-1)?.seq ?? 0}`);
    const journaledUpTo = this.journal.events.at(-1)?.spool ?? 0;
    if (journaledUpTo > lastSurvivingSeq)
      this.reportViolation(`the journal has an event of record ${journaledUpTo}, which was lost`);
    const snapshotSeq = this.snapshotStore.load()?.upToSeq ?? 0;
    if (snapshotSeq > lastSurvivingSeq)
      this.reportViolation(`the snapshot includes record ${snapshotSeq}, which was lost`);
  }

  trace(line: string): void {
    this.#trace?.(`${String(this.time.now() - this.#startedAt).padStart(7)} ms  ${line}`);
  }
}
