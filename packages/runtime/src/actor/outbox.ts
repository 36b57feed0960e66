import type { SpoolRecord } from "@fairlead/contract";
import { findEffectOfRecord, type PendingEffect } from "@fairlead/reducer";

/** Effects that have not run yet, as far as the actor knows. An effect has run when the spool has a record with its id. */
export class Outbox {
  readonly #pending: Map<string, PendingEffect>;
  readonly #sent = new Set<string>();

  constructor(pending: readonly PendingEffect[] = []) {
    this.#pending = new Map(pending.map((effect) => [effect.id, effect]));
  }

  get pending(): readonly PendingEffect[] {
    return [...this.#pending.values()];
  }

  add(effect: PendingEffect): void {
    this.#pending.set(effect.id, effect);
  }

  /** Removes the effect that a record shows as executed. */
  removeExecuted(record: SpoolRecord): void {
    if (this.#pending.size > 0) this.remove(findEffectOfRecord(record, this.#pending)?.id ?? record.id);
  }

  /** Removes an effect after the keeper rejected it permanently. */
  remove(id: string): void {
    this.#pending.delete(id);
    this.#sent.delete(id);
  }

  clear(): void {
    this.#pending.clear();
    this.#sent.clear();
  }

  /** Yields the effects that were not sent to this keeper, oldest first, and marks each as sent. */
  *takeUnsent(): Generator<PendingEffect> {
    for (const effect of this.#pending.values()) {
      if (this.#sent.has(effect.id)) continue;
      this.#sent.add(effect.id);
      yield effect;
    }
  }

  /** Marks all effects as unsent. A new keeper knows only the requests whose records are in the spool. */
  resendAll(): void {
    this.#sent.clear();
  }
}
