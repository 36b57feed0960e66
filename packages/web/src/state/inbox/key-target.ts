import { armDelay } from "./arming.ts";

/** Which card the keys answer, as the cards show it. */
export interface KeyTargetState {
  readonly card: string | null;
  /** How many cards could have the keys. */
  readonly count: number;
}

/**
 * Decides which one of the cards on the page the keys answer: a card that was alone since it appeared, or the one that the
 * person has chosen by focus or pointer. With several and none chosen, keys answer nothing: a card that the person did not
 * mean could be the newest one. React reads it as a store.
 */
export class KeyTarget {
  readonly #cards = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #state: KeyTargetState = { card: null, count: 0 };
  #isChosen = false;
  #since = 0;

  readonly getSnapshot = (): KeyTargetState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Adds a card that can be answered. `now` is in milliseconds. */
  add(card: string, now: number): void {
    this.#cards.add(card);
    this.#set(this.#cards.size === 1 ? card : this.#isChosen ? this.#state.card : null, now);
  }

  /** Removes a card. One that remains does not get the keys: the next press could be meant for the card that is gone. */
  remove(card: string, now: number): void {
    this.#cards.delete(card);
    this.#set(this.#state.card === card ? null : this.#state.card, now);
  }

  /** Gives a card the keys, because the person has focused or touched it. */
  choose(card: string, now: number): void {
    if (!this.#cards.has(card)) return;
    this.#isChosen = true;
    this.#set(card, now);
  }

  /** Whether a key may answer a card now: it has had the keys, and shown it, for as long as a control must be on screen. */
  isReady(card: string, now: number): boolean {
    return this.#state.card === card && now - this.#since >= armDelay;
  }

  #set(card: string | null, now: number): void {
    if (card !== this.#state.card) this.#since = now;
    if (card === null) this.#isChosen = false;
    if (card === this.#state.card && this.#cards.size === this.#state.count) return;
    this.#state = { card, count: this.#cards.size };
    for (const listener of this.#listeners) listener();
  }
}
