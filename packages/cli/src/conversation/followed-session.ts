import type { Fairlead, SessionView } from "@fairlead/api";
import {
  advance,
  emptyLedger,
  isOpen,
  openTurn,
  type Answer,
  type Delta,
  type Event,
  type EventOf,
} from "@fairlead/contract";

/** A session as whoever talks in it knows it: by its events alone, wherever it is driven. */
export class FollowedSession {
  readonly id: string;
  readonly #fairlead: Fairlead;
  #mode: string;
  #ledger = emptyLedger;
  #last = 0;
  #turnBegan = 0;
  #outcome: EventOf<"turn.ended">["outcome"] | null = null;
  readonly #begun = new Set<string>();
  /** A turn that we have asked for, and that the events have not told of yet. */
  #asked: string | null = null;

  private constructor(fairlead: Fairlead, { session, mode }: SessionView) {
    this.id = session;
    this.#fairlead = fairlead;
    this.#mode = mode;
  }

  /** Reads what has happened so far, so that nobody is asked what was answered long ago. */
  static async open(fairlead: Fairlead, view: SessionView): Promise<FollowedSession> {
    const session = new FollowedSession(fairlead, view);
    for await (const item of fairlead.events(view.session)) if ("body" in item) session.#take(item);
    return session;
  }

  /** The number of the newest event that is known. */
  get last(): number {
    return this.#last;
  }

  get mode(): string {
    return this.#mode;
  }

  /** The turn that is going on, or is about to. */
  get turn(): string | null {
    return this.#ledger.over ? null : (openTurn(this.#ledger) ?? this.#asked);
  }

  /** Whoever comes into a turn sees it from its start, and need not guess what was said and asked so far. */
  get whereToBegin(): number {
    return isOpen(this.#ledger, "turn") ? this.#turnBegan - 1 : this.#last;
  }

  /** What it is doing, by its events. */
  get state(): "working" | "waiting" | "idle" | "paused" | "ended" {
    if (this.#ledger.over) return "ended";
    if (isOpen(this.#ledger, "decision")) return "waiting";
    if (this.turn !== null) return "working";
    return isOpen(this.#ledger, "pause") ? "paused" : "idle";
  }

  /** How the last turn ended, if one has. */
  get outcome(): EventOf<"turn.ended">["outcome"] | null {
    return this.#outcome;
  }

  isWaitingFor(decision: string): boolean {
    return isOpen(this.#ledger, "decision", decision);
  }

  hasBegun(turn: string): boolean {
    return this.#begun.has(turn);
  }

  async *stream(after: number, signal?: AbortSignal): AsyncGenerator<Event | Delta> {
    const options = { after, follow: true, deltas: true, ...(signal && { signal }) };
    for await (const item of this.#fairlead.events(this.id, options)) {
      if ("body" in item && item.sequence > this.#last) this.#take(item);
      yield item;
    }
  }

  async send(text: string): Promise<string> {
    const { turn } = await this.#fairlead.send(this.id, text);
    if (!this.#begun.has(turn)) this.#asked = turn;
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

  #take({ sequence, body }: Event): void {
    this.#last = sequence;
    this.#ledger = advance(this.#ledger, body).ledger;
    if (body.type === "session.changed") this.#mode = body.mode ?? this.#mode;
    if (body.type === "session.started") this.#mode = body.mode;
    if (body.type === "turn.ended") this.#outcome = body.outcome;
    if (body.type !== "turn.started") return;
    this.#turnBegan = sequence;
    this.#begun.add(body.turn);
    if (this.#asked === body.turn) this.#asked = null;
  }
}
