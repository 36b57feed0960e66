import type { SeededRandom } from "./seeded-random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** One direction of a connection. It delivers items later and in order, unless it is cut before. */
export class SimulatedPipe<Item> {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #deliver: (item: Item) => void;
  #lastAt = 0;
  #inFlight = 0;
  /** How many of the items in transit are still delivered; all, until the pipe is cut. */
  #deliverable = Infinity;

  constructor(time: VirtualTime, random: SeededRandom, deliver: (item: Item) => void) {
    this.#time = time;
    this.#random = random;
    this.#deliver = deliver;
  }

  put(item: Item): void {
    if (this.#deliverable !== Infinity) return;
    const delay = this.#random.happens(0.05) ? this.#random.between(20, 200) : this.#random.between(0, 3);
    this.#lastAt = Math.max(this.#lastAt, this.#time.now() + delay);
    this.#inFlight += 1;
    this.#time.after(this.#lastAt - this.#time.now(), () => {
      this.#inFlight -= 1;
      if (this.#deliverable <= 0) return;
      this.#deliverable -= 1;
      this.#deliver(item);
    });
  }

  /** Accepts no more items. Only a random part of the items in transit is still delivered. */
  cut(): void {
    if (this.#deliverable === Infinity) this.#deliverable = this.#random.between(0, this.#inFlight);
  }
}
