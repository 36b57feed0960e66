import type { AgentEvent, Delta, Effect, Step } from "@fairlead/contract";

/** Lets a dialect put a step together bit by bit. The change stays inside: what comes out is a plain step. */
export class StepWriter<State extends object> {
  state: State;
  readonly #events: AgentEvent[] = [];
  readonly #deltas: Delta[] = [];
  readonly #effects: Effect[] = [];

  constructor(state: State) {
    this.state = state;
  }

  set(change: Partial<State>): this {
    this.state = { ...this.state, ...change };
    return this;
  }

  event(...events: AgentEvent[]): this {
    this.#events.push(...events);
    return this;
  }

  delta(delta: Delta): this {
    this.#deltas.push(delta);
    return this;
  }

  effect(...effects: Effect[]): this {
    this.#effects.push(...effects);
    return this;
  }

  get step(): Step<State> {
    return { state: this.state, events: this.#events, deltas: this.#deltas, effects: this.#effects };
  }
}
