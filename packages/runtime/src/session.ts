import { randomUUID } from "node:crypto";
import type { Answer, Delta, Event, Wish } from "@fairlead/contract";
import type { EventLog } from "@fairlead/journal";
import type { FoldState } from "@fairlead/kit";
import { eventsOf } from "./event-bytes.ts";
import type { SessionActor } from "./session-actor.ts";

/** A session that this process drives. Disposing it lets go of it and leaves the agent running. */
export class Session implements AsyncDisposable {
  readonly id: string;
  readonly #actor: SessionActor;
  readonly #log: EventLog;
  #preamble = "";

  constructor(id: string, actor: SessionActor, log: EventLog) {
    this.id = id;
    this.#actor = actor;
    this.#log = log;
  }

  get state(): FoldState {
    return this.#actor.state;
  }

  /** The number of the newest event. */
  get last(): number {
    return this.#actor.last;
  }

  /**
   * Everything after a number: what was, and then what comes, with deltas in between. It ends with the session, or
   * when this process lets go of it, and throws when another process takes over.
   */
  async *stream(after = 0): AsyncGenerator<Event | Delta> {
    // Listening begins before the history is read, so nothing can fall between the two.
    using live = this.#actor.listen();
    let last = after;
    for await (const event of eventsOf(this.#log.read(this.id, after))) {
      last = event.sequence;
      yield event;
      if (event.body.type === "session.ended") return;
    }
    for await (const one of live) {
      if ("sequence" in one && one.sequence <= last) continue;
      yield one;
      if ("body" in one && one.body.type === "session.ended") return;
    }
  }

  /** What is put before the first message: what an agent that does not remember has to be told. */
  begin(preamble: string): void {
    this.#preamble = preamble;
  }

  /** Says something to the agent and gives the name of the turn that it becomes. */
  async send(text: string): Promise<string> {
    const turn = randomUUID();
    await this.#wish({ type: "send", turn, text: `${this.#preamble}${text}` });
    this.#preamble = "";
    return turn;
  }

  /** Says something into the turn that is going on; `not-supported` where the agent cannot hear it. */
  async steer(text: string): Promise<void> {
    await this.#wish({ type: "steer", text });
  }

  async answer(decision: string, answer: Answer): Promise<void> {
    await this.#wish({ type: "answer", decision, answer, by: "user" });
  }

  async interrupt(): Promise<void> {
    await this.#wish({ type: "interrupt" });
  }

  async pause(): Promise<void> {
    await this.#wish({ type: "pause" });
  }

  async resume(): Promise<void> {
    await this.#wish({ type: "resume" });
  }

  async end(): Promise<void> {
    await this.#wish({ type: "end" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#actor[Symbol.asyncDispose]();
  }

  async #wish(wish: Wish): Promise<void> {
    await this.#actor.note({ type: "wish", wish }, `wish-${randomUUID()}`);
  }
}
