import type { SnapshotStore, Snapshot } from "../../packages/runtime/src/actor/snapshot.ts";
import type { SeededRandom } from "./seeded-random.ts";
import type { VirtualDisk } from "./virtual-disk.ts";

/** A snapshot store that may lose its newest snapshot, and then has the previous one, in a loss of power. */
export class VirtualSnapshotStore implements SnapshotStore {
  readonly #disk: VirtualDisk;
  readonly #random: SeededRandom;
  #newest = { text: "null", removals: 0 };
  #previous = this.#newest;

  constructor(disk: VirtualDisk, random: SeededRandom) {
    this.#disk = disk;
    this.#random = random;
  }

  load(): Snapshot | null {
    return JSON.parse(this.#newest.text) as Snapshot | null;
  }

  save(snapshot: Snapshot): void {
    this.#previous = this.#newest;
    this.#newest = { text: JSON.stringify(snapshot), removals: this.#disk.removals };
  }

  /**
   * Saving a snapshot renames a file, and trimming then removes files. The order on disk is the same: if a removal
   * after the save has survived, so has the save.
   */
  losePower(): void {
    const isDurable = this.#disk.removals > this.#newest.removals;
    if (!isDurable && this.#random.happens(0.3)) this.#newest = this.#previous;
  }
}
