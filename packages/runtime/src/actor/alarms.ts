import type { PendingEffect } from "@fairlead/reducer";
import type { Clock } from "./clock.ts";

/** Prefix of the id of a note that records a due alarm. The id of the effect that set the alarm follows it. */
export const alarmNotePrefix = "alarm-";

/** An alarm that is set: the effect that set it, and the time at which it is due. */
export interface Alarm {
  readonly name: string;
  readonly effectId: string;
  readonly at: number;
}

/** The alarms that dialects set. Each is timed from the record that set it, so that a restart does not delay it. */
export class Alarms implements Disposable {
  readonly #byName = new Map<string, Alarm>();
  readonly #timers = new Map<string, Disposable>();
  readonly #clock: Clock;
  readonly #onDue: (alarm: Alarm) => void;
  #isArmed = false;

  constructor(clock: Clock, onDue: (alarm: Alarm) => void, alarms: readonly Alarm[] = []) {
    this.#clock = clock;
    this.#onDue = onDue;
    for (const alarm of alarms) this.#byName.set(alarm.name, alarm);
  }

  /** Alarms that are set and whose note is not in the spool yet. */
  get pending(): readonly Alarm[] {
    return [...this.#byName.values()];
  }

  /** Sets or clears the alarm of an effect. Returns false for another effect. */
  apply({ id, at, effect }: PendingEffect): boolean {
    if (effect.type !== "alarm" && effect.type !== "disarm") return false;
    this.clear(effect.name);
    if (effect.type === "disarm") return true;
    this.#byName.set(effect.name, { name: effect.name, effectId: id, at: at + effect.after });
    if (this.#isArmed) this.#startTimer(effect.name);
    return true;
  }

  clear(name: string): void {
    this.#byName.delete(name);
    this.#timers.get(name)?.[Symbol.dispose]();
    this.#timers.delete(name);
  }

  /** Clears the alarm that this effect set, after its note was read. */
  clearRung(effectId: string): void {
    const alarm = this.pending.find((candidate) => candidate.effectId === effectId);
    if (alarm !== undefined) this.clear(alarm.name);
  }

  /** Starts the timers. Before that, alarms are only stored: while the actor catches up, most of them rang long ago. */
  arm(): void {
    this.#isArmed = true;
    for (const name of this.#byName.keys()) this.#startTimer(name);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers.values()) timer[Symbol.dispose]();
    this.#isArmed = false;
  }

  #startTimer(name: string): void {
    const alarm = this.#byName.get(name);
    if (alarm === undefined) return;
    // The alarm stays set until its note is read. If the keeper is gone when it is due, the next actor repeats it.
    const timer = this.#clock.after(Math.max(0, alarm.at - this.#clock.now()), () => this.#onDue(alarm));
    this.#timers.set(name, timer);
  }
}
