import type { Order } from "@fairlead/kit";
import type { Clock } from "./clock.ts";

/** Begins the id of the note that an alarm has rung; what follows is the order that set it. */
export const alarmPrefix = "alarm-";

/** An alarm that has been set: by which order, and when it is due. */
export interface Alarm {
  readonly name: string;
  readonly order: string;
  readonly at: number;
}

/** Alarms that dialects have set. They are counted from the record that set them, so a restart does not move them. */
export class Alarms implements Disposable {
  readonly #set = new Map<string, Alarm>();
  readonly #timers = new Map<string, Disposable>();
  readonly #clock: Clock;
  readonly #ring: (alarm: Alarm) => void;
  #armed = false;

  constructor(clock: Clock, ring: (alarm: Alarm) => void, set: readonly Alarm[] = []) {
    this.#clock = clock;
    this.#ring = ring;
    for (const alarm of set) this.#set.set(alarm.name, alarm);
  }

  /** All that are set and have not been rung. */
  get pending(): readonly Alarm[] {
    return [...this.#set.values()];
  }

  set({ id, at, effect }: Order): void {
    if (effect.type !== "alarm") return;
    this.clear(effect.name);
    this.#set.set(effect.name, { name: effect.name, order: id, at: at + effect.after });
    if (this.#armed) this.#wind(effect.name);
  }

  clear(name: string): void {
    this.#set.delete(name);
    this.#timers.get(name)?.[Symbol.dispose]();
    this.#timers.delete(name);
  }

  /** The alarm that was set by this order has been rung. */
  rang(order: string): void {
    const rung = this.pending.find((alarm) => alarm.order === order);
    if (rung !== undefined) this.clear(rung.name);
  }

  /** Until then alarms are only remembered: while a spool is being read again, most of them have long been rung. */
  arm(): void {
    this.#armed = true;
    for (const name of this.#set.keys()) this.#wind(name);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#armed = false;
  }

  #wind(name: string): void {
    const alarm = this.#set.get(name);
    if (alarm === undefined) return;
    // The alarm stays set until its note has been read: if the keeper is gone just now, it will be rung again.
    const timer = this.#clock.after(Math.max(0, alarm.at - this.#clock.now()), () => this.#ring(alarm));
    this.#timers.set(name, timer);
  }
}
