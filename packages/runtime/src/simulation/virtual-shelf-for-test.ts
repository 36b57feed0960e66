import type { FoldShelf, KeptFold } from "../kept-fold.ts";
import type { Chance } from "./chance-for-test.ts";
import type { VirtualDisk } from "./virtual-disk-for-test.ts";

/** A shelf whose newest fold may turn out to be the one before, if the power is lost. */
export class VirtualShelf implements FoldShelf {
  readonly #disk: VirtualDisk;
  readonly #chance: Chance;
  #newest = { text: "null", removals: 0 };
  #before = this.#newest;

  constructor(disk: VirtualDisk, chance: Chance) {
    this.#disk = disk;
    this.#chance = chance;
  }

  load(): KeptFold | null {
    return JSON.parse(this.#newest.text) as KeptFold | null;
  }

  save(kept: KeptFold): void {
    this.#before = this.#newest;
    this.#newest = { text: JSON.stringify(kept), removals: this.#disk.removals };
  }

  /** A file is renamed and others are removed in this order: where a removal has held, so has the renaming before it. */
  losePower(): void {
    const hasHeld = this.#disk.removals > this.#newest.removals;
    if (!hasHeld && this.#chance.happens(0.3)) this.#newest = this.#before;
  }
}
