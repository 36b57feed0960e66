import type { DecisionView, OverviewFrame, SessionView } from "@fairlead/api";

/** A change of an overview. */
export type OverviewChange = { readonly number: number } & (
  | { readonly session: SessionView }
  | { readonly removed: string }
  | { readonly decision: DecisionView }
  | { readonly closed: OverviewFrame["closed"][number] }
);

/** A shorter log is not worth the work of looking for changes to drop. */
const minCompactedLength = 1000;

/**
 * Lists changes in the order of their numbers, so that a reader finds what is new for it without a look at the rest. Changes that
 * newer ones have replaced stay in it until they are half of it: to drop them costs a few steps per change.
 */
export class ChangeLog {
  readonly #isCurrent: (change: OverviewChange) => boolean;
  #changes: OverviewChange[] = [];
  #compactAt = minCompactedLength;

  /** `isCurrent`: whether no newer change has replaced this one. */
  constructor(isCurrent: (change: OverviewChange) => boolean) {
    this.#isCurrent = isCurrent;
  }

  get length(): number {
    return this.#changes.length;
  }

  /** Adds a change, whose number must be the highest one. */
  add(change: OverviewChange): void {
    this.#changes.push(change);
    if (this.#changes.length < this.#compactAt) return;
    this.#changes = this.#changes.filter(this.#isCurrent);
    this.#compactAt = Math.max(minCompactedLength, 2 * this.#changes.length);
  }

  /** Yields the changes after a number, in their order, those included that newer ones have replaced. */
  *after(number: number): Generator<OverviewChange> {
    for (let index = this.#findAfter(number); index < this.#changes.length; index += 1) {
      const change = this.#changes[index];
      if (change !== undefined) yield change;
    }
  }

  /** Returns the index of the first change with a higher number. */
  #findAfter(number: number): number {
    let [low, high] = [0, this.#changes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.number ?? Infinity) > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
