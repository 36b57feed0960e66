import type { AgentEvent, Delta, Effect, ErrorCategory, EventOf, Transition } from "@fairlead/contract";

/** Limit of the raw text in an `unrecognized` event, so that a long line does not fill the journal. */
const maxRawLength = 4000;

/** Creates an `unrecognized` event with the beginning of the raw text. */
export function unrecognizedEvent(raw: string, reason: string): EventOf<"unrecognized"> {
  return { type: "unrecognized", reason, raw: raw.slice(0, maxRawLength) };
}

/** Builds a transition step by step. Only the writer is mutable: the transition is a plain value. */
export class TransitionWriter<State extends object> {
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

  /** Writes a `status.reported` event of level `warning`. */
  warn(message: string): this {
    return this.event({ type: "status.reported", level: "warning", message });
  }

  /** Writes an `error.raised` event: a failure of the open turn or, without one, of the agent. */
  raise({ category, message }: { readonly category: ErrorCategory; readonly message: string }): this {
    return this.event({ type: "error.raised", category, message });
  }

  /** Writes an `unrecognized` event for a line that the dialect cannot read. */
  unrecognized(line: string, reason = "not a known message"): this {
    return this.event(unrecognizedEvent(line, reason));
  }

  delta(delta: Delta): this {
    this.#deltas.push(delta);
    return this;
  }

  effect(...effects: Effect[]): this {
    this.#effects.push(...effects);
    return this;
  }

  get transition(): Transition<State> {
    return { state: this.state, events: this.#events, deltas: this.#deltas, effects: this.#effects };
  }
}
