import { randomUUID } from "node:crypto";
import type { Answer, Delta, Event, TerminalSize, Wish } from "@fairlead/contract";
import type { EventLog } from "@fairlead/journal";
import type { FoldState } from "@fairlead/kit";
import { eventsOf } from "./event-bytes.ts";
import { HumanLead } from "./human-lead.ts";
import { nameOfKey, newName } from "./names.ts";
import type { SessionActor } from "./session-actor.ts";

/** How much may wait for one reader. A batch of the spool, however small its records, must have room in it. */
const mostWaiting = 4096;

/** A session that this process drives. Disposing it lets go of it and leaves the agent running. */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #actor: SessionActor;
  readonly #log: EventLog;
  readonly #lead: HumanLead;

  constructor(id: string, actor: SessionActor, log: EventLog) {
    this.id = id;
    this.#actor = actor;
    this.#log = log;
    this.#lead = new HumanLead(actor);
  }

  get state(): FoldState {
    return this.#actor.state;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#actor.last;
  }

  /** Settles, and never rejects, when this process does not drive it any more: it is over, let go of, or another's. */
  get finished(): Promise<void> {
    return this.#actor.finished;
  }

  /** Whether that has come. */
  get isLetGo(): boolean {
    return this.#actor.isFinished;
  }

  /**
   * Everything after a number: what was, and then what comes, with deltas in between. It ends with the session, when the
   * signal aborts, or when this process lets go of it, and throws when another process takes over. A reader who is too
   * slow misses deltas, but no event: it is given those from the journal.
   */
  async *stream(after = 0, signal?: AbortSignal): AsyncGenerator<Event | Delta> {
    for (let last = after; ;) {
      // Listening begins before the history is read, so nothing can fall between the two.
      using live = this.#actor.listen({ cap: mostWaiting, signal });
      for (const source of [eventsOf(this.#log.read(this.id, last)), live]) {
        for await (const one of source) {
          if (signal?.aborted) return;
          if ("sequence" in one && one.sequence <= last) continue;
          if ("sequence" in one) last = one.sequence;
          yield one;
          if ("body" in one && one.body.type === "session.ended") return;
        }
      }
      if (!live.behind) return;
    }
  }

  /** Has the agent started, where whoever began the session was cut off before it could ask for that. */
  async open(): Promise<void> {
    await this.#actor.note({ type: "wish", wish: { type: "open" } }, "open");
  }

  // A wish with a key is one wish, however often and by whomever it is repeated; and so is its outcome.

  /** Says something to the agent and gives the name of the turn that it becomes. */
  async send(text: string, key?: string): Promise<string> {
    const turn = key === undefined ? newName() : nameOfKey(key);
    await this.#wish({ type: "send", turn, text }, key);
    return turn;
  }

  /** Says something into the turn that is going on; `not-supported` where the agent cannot hear it. */
  async steer(text: string, key?: string): Promise<void> {
    await this.#wish({ type: "steer", text }, key);
  }

  /** Has the agent told something with the next message, whoever sends that. */
  async inject(text: string, key?: string): Promise<void> {
    await this.#wish({ type: "inject", text }, key);
  }

  async answer(decision: string, answer: Answer, key?: string): Promise<void> {
    await this.#wish({ type: "answer", decision, answer, by: "user" }, key);
  }

  async interrupt(key?: string): Promise<void> {
    await this.#wish({ type: "interrupt" }, key);
  }

  async pause(key?: string): Promise<void> {
    await this.#wish({ type: "pause" }, key);
  }

  async resume(key?: string): Promise<void> {
    await this.#wish({ type: "resume" }, key);
  }

  /**
   * Lets a person lead in the agent's own terminal, and comes back when that shows something. If a person leads already,
   * what the terminal shows is drawn again, for who has just come to it.
   */
  async takeOver(size: TerminalSize, key?: string): Promise<void> {
    await this.#lead.take(size, () => this.#wish({ type: "take-over", size }, key));
  }

  /** Ends the terminal; comes back when the agent leads again. */
  async handBack(key?: string): Promise<void> {
    await this.#lead.handBack(() => this.#wish({ type: "hand-back" }, key));
  }

  /** Types into the terminal: done at most once, and nowhere written down. */
  async type(text: string): Promise<void> {
    await this.#lead.type(text);
  }

  /** Makes the terminal as large as this. */
  async resize(size: TerminalSize): Promise<void> {
    await this.#lead.resize(size);
  }

  /** What the terminal shows from this moment on, until the agent leads again. Begin here, then take over. */
  screen(signal?: AbortSignal): AsyncGenerator<string> {
    return this.#lead.screen(signal);
  }

  async end(key?: string): Promise<void> {
    await this.#wish({ type: "end" }, key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#actor[Symbol.asyncDispose]();
  }

  async #wish(wish: Wish, key: string = randomUUID()): Promise<void> {
    await this.#actor.note({ type: "wish", wish }, `wish-${key}`);
  }
}
