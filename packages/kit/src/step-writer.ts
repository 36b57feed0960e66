import type { AgentEvent, Delta, Effect, ErrorCategory, Step } from "@fairlead/contract";

/** As much of a line as is kept when it is not understood. */
const longestRaw = 4000;

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

  /** Something that people should know of and that does not end anything. */
  warn(message: string): this {
    return this.event({ type: "status.reported", level: "warning", message });
  }

  /** A failure: of the turn, or of the whole agent if there is no turn. */
  raise({ category, says: message }: { readonly category: ErrorCategory; readonly says: string }): this {
    return this.event({ type: "error.raised", category, message });
  }

  /** Something that the agent said and that is not understood. */
  unrecognized(line: string): this {
    return this.event({ type: "unrecognized", reason: "not a known message", raw: line.slice(0, longestRaw) });
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
