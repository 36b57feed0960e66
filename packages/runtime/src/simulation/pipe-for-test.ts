import type { Chance } from "./chance-for-test.ts";
import type { VirtualTime } from "./virtual-time-for-test.ts";

/** One direction of a connection: what is put in comes out later, in order, unless it is cut before. */
export class Pipe<Item> {
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  readonly #take: (item: Item) => void;
  #lastAt = 0;
  #underWay = 0;
  /** How many of those under way may still come out; all, until it is cut. */
  #allowed = Infinity;

  constructor(time: VirtualTime, chance: Chance, take: (item: Item) => void) {
    this.#time = time;
    this.#chance = chance;
    this.#take = take;
  }

  put(item: Item): void {
    if (this.#allowed !== Infinity) return;
    const delay = this.#chance.happens(0.05) ? this.#chance.between(20, 200) : this.#chance.between(0, 3);
    this.#lastAt = Math.max(this.#lastAt, this.#time.now() + delay);
    this.#underWay += 1;
    this.#time.after(this.#lastAt - this.#time.now(), () => {
      this.#underWay -= 1;
      if (this.#allowed <= 0) return;
      this.#allowed -= 1;
      this.#take(item);
    });
  }

  /** Nothing more goes in. Of what is under way, a part still arrives. */
  cut(): void {
    if (this.#allowed === Infinity) this.#allowed = this.#chance.between(0, this.#underWay);
  }
}
