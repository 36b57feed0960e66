import type { Order } from "@fairlead/kit";

/** Orders that have not been seen carried out. An order is done when a record with its id stands in the spool. */
export class OrderBook {
  readonly #open: Map<string, Order>;
  readonly #given = new Set<string>();

  constructor(open: readonly Order[] = []) {
    this.#open = new Map(open.map((order) => [order.id, order]));
  }

  get open(): readonly Order[] {
    return [...this.#open.values()];
  }

  enter(order: Order): void {
    this.#open.set(order.id, order);
  }

  /** Its record has been read, or it was refused and always will be. */
  close(id: string): void {
    this.#open.delete(id);
    this.#given.delete(id);
  }

  clear(): void {
    this.#open.clear();
    this.#given.clear();
  }

  /** What the keeper has not been given yet, oldest first; each is handed out once. */
  *due(): Generator<Order> {
    for (const order of this.#open.values()) {
      if (this.#given.has(order.id)) continue;
      this.#given.add(order.id);
      yield order;
    }
  }

  /** There is another keeper, which knows of nothing that is not in the spool. */
  giveAgain(): void {
    this.#given.clear();
  }
}
