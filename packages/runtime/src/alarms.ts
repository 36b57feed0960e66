import type { Order } from "@fairlead/kit";

/** Alarms that dialects have set. They are counted from the record that set them, so a restart does not move them. */
export class Alarms implements Disposable {
  readonly #due = new Map<string, { readonly order: string; readonly at: number }>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #ring: (name: string, order: string) => void;
  #armed = false;

  /** `ring` also gets the id of the order that set the alarm: the same alarm rung twice is then known as one. */
  constructor(ring: (name: string, order: string) => void) {
    this.#ring = ring;
  }

  set({ id, at, effect }: Order): void {
    if (effect.type !== "alarm") return;
    this.clear(effect.name);
    this.#due.set(effect.name, { order: id, at: at + effect.after });
    if (this.#armed) this.#wind(effect.name);
  }

  clear(name: string): void {
    this.#due.delete(name);
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
  }

  /** Until then alarms are only remembered: while a spool is being read again, most of them have long been rung. */
  arm(): void {
    this.#armed = true;
    for (const name of this.#due.keys()) this.#wind(name);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#armed = false;
  }

  #wind(name: string): void {
    const due = this.#due.get(name);
    if (due === undefined) return;
    const timer = setTimeout(() => this.#ring(name, due.order), Math.max(0, due.at - Date.now()));
    this.#timers.set(name, timer);
  }
}
