import type { Fairlead, SessionView } from "@fairlead/api";
import {
  advance,
  emptyLedger,
  isOpen,
  openScopes,
  openTurn,
  type Answer,
  type Delta,
  type Event,
  type EventOf,
} from "@fairlead/contract";

/** A session as a client sees it: its state is derived from its events alone. */
export class FollowedSession {
  readonly id: string;
  readonly #fairlead: Fairlead;
  #mode: string;
  #ledger = emptyLedger;
  #lastSequence = 0;
  #turnStartSequence = 0;
  readonly #startWarnings: string[] = [];
  #outcome: EventOf<"turn.ended">["outcome"] | null = null;
  readonly #startedTurns = new Set<string>();
  /** Turns whose messages were returned, so that they never start. */
  readonly #returnedTurns = new Set<string>();
  /** A turn that this client has requested, and of which neither the start nor the return of its message has arrived. */
  #requestedTurn: string | null = null;

  private constructor(fairlead: Fairlead, { session, mode }: SessionView) {
    this.id = session;
    this.#fairlead = fairlead;
    this.#mode = mode;
  }

  /** Reads all events so far, so that no question is repeated that has been answered. */
  static async open(fairlead: Fairlead, view: SessionView): Promise<FollowedSession> {
    const session = new FollowedSession(fairlead, view);
    for await (const item of fairlead.events(view.session)) if ("body" in item) session.#applyEvent(item);
    return session;
  }

  /** The sequence number of the newest event read. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  get mode(): string {
    return this.#mode;
  }

  /** The warnings before the first turn. */
  get startWarnings(): readonly string[] {
    return this.#startWarnings;
  }

  /** The turn that is running or about to start. */
  get turn(): string | null {
    if (this.#ledger.over) return null;
    const turn = openTurn(this.#ledger) ?? this.#requestedTurn;
    // A paused session keeps its queued messages and starts none.
    return turn ?? (isOpen(this.#ledger, "pause") ? null : (openScopes(this.#ledger, "message")[0]?.key ?? null));
  }

  /** The sequence number to display from: the start of the running turn, so that its context is visible. */
  get displayAfter(): number {
    return isOpen(this.#ledger, "turn") ? this.#turnStartSequence - 1 : this.#lastSequence;
  }

  /** The state that follows from the events. */
  get state(): "working" | "waiting" | "idle" | "paused" | "ended" {
    if (this.#ledger.over) return "ended";
    if (isOpen(this.#ledger, "decision")) return "waiting";
    if (this.turn !== null) return "working";
    return isOpen(this.#ledger, "pause") ? "paused" : "idle";
  }

  /** The outcome of the last turn, if one has ended. */
  get outcome(): EventOf<"turn.ended">["outcome"] | null {
    return this.#outcome;
  }

  isWaitingFor(decision: string): boolean {
    return isOpen(this.#ledger, "decision", decision);
  }

  hasStarted(turn: string): boolean {
    return this.#startedTurns.has(turn);
  }

  /** Whether the message of a turn waits for other turns. Without one, the agent is about to start it. */
  isQueued(turn: string): boolean {
    if (!isOpen(this.#ledger, "message", turn)) return false;
    return isOpen(this.#ledger, "turn") || openScopes(this.#ledger, "message").length > 1;
  }

  async *stream(after: number, signal?: AbortSignal): AsyncGenerator<Event | Delta> {
    const options = { after, follow: true, deltas: true, ...(signal && { signal }) };
    for await (const item of this.#fairlead.events(this.id, options)) {
      if ("body" in item && item.sequence > this.#lastSequence) this.#applyEvent(item);
      yield item;
    }
  }

  /** Sends a message and returns the id of its turn. */
  async send(message: string): Promise<string> {
    const { turn } = await this.#fairlead.send(this.id, message);
    if (!this.#startedTurns.has(turn) && !this.#returnedTurns.has(turn)) this.#requestedTurn = turn;
    return turn;
  }

  async answer(decision: string, answer: Answer): Promise<void> {
    await this.#fairlead.answer(this.id, decision, answer);
  }

  async interrupt(): Promise<void> {
    await this.#fairlead.interrupt(this.id);
  }

  async pause(): Promise<void> {
    await this.#fairlead.pause(this.id);
  }

  #applyEvent({ sequence, body }: Event): void {
    this.#lastSequence = sequence;
    this.#ledger = advance(this.#ledger, body).ledger;
    if (body.type === "session.changed") this.#mode = body.mode ?? this.#mode;
    if (body.type === "session.started") this.#mode = body.mode;
    if (body.type === "status.reported" && body.level === "warning" && this.#startedTurns.size === 0)
      this.#startWarnings.push(body.message);
    if (body.type === "turn.ended") this.#outcome = body.outcome;
    if (body.type === "message.returned") {
      this.#returnedTurns.add(body.turn);
      if (this.#requestedTurn === body.turn) this.#requestedTurn = null;
    }
    if (body.type !== "turn.started") return;
    this.#turnStartSequence = sequence;
    this.#startedTurns.add(body.turn);
    if (this.#requestedTurn === body.turn) this.#requestedTurn = null;
  }
}
