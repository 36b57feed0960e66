import { FairleadError, type AgentEvent, type Delta, type Event } from "@fairlead/contract";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Answerer, Decision } from "./answerer.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { Messages } from "./messages.ts";

export interface ConversationParts {
  readonly session: FollowedSession;
  /** Show what comes after this number. */
  readonly after: number;
  readonly messages: Messages;
  readonly answerer: Answerer;
  readonly show: (item: Event | Delta) => void;
  /** A message is about to be sent from here. */
  readonly sending: (text: string) => void;
  /** Holds back what is shown, until disposed of. */
  readonly hold: () => Disposable;
  /** Somebody has asked to interrupt the turn. */
  readonly interrupting: () => void;
}

/** How it was left: the agent let go of, the session over, or everything running on without us. */
export interface Parting {
  readonly how: "paused" | "ended" | "detached";
  readonly exitCode: number;
}

const twice = 2000;

/** Holds a conversation: sends messages, shows what comes, has questions answered, until it is left. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #leaving = new AbortController();
  readonly #left = Promise.withResolvers<void>();
  /** Nothing more comes. */
  #isOver = false;
  readonly #over = Promise.withResolvers<void>();
  /** What was there when we came is on the screen. */
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<never>();
  readonly #turns = new Map<string, PromiseWithResolvers<void>>();
  /** Decisions that are being asked about, to be taken back when they are resolved otherwise. */
  readonly #asked = new Map<string, AbortController>();
  #asking = Promise.resolve();
  #prompting = new AbortController();
  #pressedAt = -twice;
  #how: Parting["how"] = "detached";
  #exitCode: number = exitCodes.done;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  async hold(): Promise<Parting> {
    const watching = this.#watch(this.#parts.session.last);
    const speaking = this.#speak();
    try {
      await Promise.race([watching, this.#left.promise, this.#failed.promise, speaking.then(() => watching)]);
    } finally {
      this.#leaving.abort();
      await Promise.allSettled([watching, speaking, this.#asking]);
    }
    return { how: this.#how, exitCode: this.#how === "detached" ? exitCodes.done : this.#exitCode };
  }

  /** Ctrl-C: once for the turn; twice, or when there is no turn, to leave. */
  press(): void {
    const { session, interrupting } = this.#parts;
    const again = performance.now() - this.#pressedAt < twice;
    this.#pressedAt = performance.now();
    if (again || session.turn === null) return this.#left.resolve();
    for (const asked of this.#asked.values()) asked.abort();
    interrupting();
    session.interrupt().catch((error: unknown) => {
      if (!FairleadError.is(error, "no-open-turn") && !this.#leaving.signal.aborted) this.#failed.reject(error);
    });
  }

  async #watch(last: number): Promise<void> {
    if (this.#parts.after >= last) this.#caughtUp.resolve();
    try {
      for await (const item of this.#parts.session.stream(this.#parts.after, this.#leaving.signal)) {
        this.#parts.show(item);
        if (!("body" in item)) continue;
        this.#follow(item.body);
        if (item.sequence >= last) this.#caughtUp.resolve();
        if (item.body.type === "session.paused") return;
      }
    } finally {
      this.#isOver = true;
      this.#over.resolve();
      this.#prompting.abort();
    }
  }

  #follow(body: AgentEvent): void {
    switch (body.type) {
      case "turn.started":
        // The agent speaks up by itself: whoever is typing gets their line back afterwards.
        this.#prompting.abort();
        this.#pressedAt = -twice;
        break;
      case "turn.ended":
        this.#exitCode = exitCodeOf[body.outcome];
        this.#endOf(body.turn).resolve();
        break;
      case "decision.requested":
        this.#asking = this.#asking
          .then(() => this.#decide(body))
          .catch((error: unknown) => this.#failed.reject(error));
        break;
      case "decision.resolved":
        this.#asked.get(body.decision)?.abort();
        break;
      case "session.paused":
        this.#how = "paused";
        break;
      case "session.ended":
        this.#how = "ended";
        if (body.reason !== "stopped" && body.reason !== "finished") this.#exitCode = exitCodes.failed;
        break;
      default:
    }
  }

  async #speak(): Promise<void> {
    const { session, messages, sending } = this.#parts;
    await Promise.race([this.#caughtUp.promise, this.#over.promise]);
    while (!this.#isOver) {
      await this.#quiet();
      this.#prompting = new AbortController();
      const { signal } = this.#prompting;
      const text = await messages.next(AbortSignal.any([signal, this.#leaving.signal])).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (text === undefined) continue; // taken back: the agent has begun a turn, or all is over
      if (text === null) return await this.#unlessEnded(session.pause());
      sending(text);
      const turn = await this.#unlessEnded(session.send(text));
      if (turn !== undefined) await Promise.race([this.#endOf(turn).promise, this.#over.promise]);
    }
  }

  /** Waits until no turn is going on. */
  async #quiet(): Promise<void> {
    const { session } = this.#parts;
    for (let turn = session.turn; turn !== null; turn = session.turn) {
      await Promise.race([this.#endOf(turn).promise, this.#over.promise]);
      if (this.#isOver) return;
    }
  }

  async #decide(decision: Decision): Promise<void> {
    const { session, answerer, hold } = this.#parts;
    if (!session.isWaitingFor(decision.decision)) return;
    if (decision.kind === "approval" && session.mode === "full-auto") return;
    const asked = new AbortController();
    this.#asked.set(decision.decision, asked);
    using _ = hold();
    const signal = AbortSignal.any([asked.signal, this.#leaving.signal]);
    try {
      const answer = await answerer.answer(decision, signal);
      if (answer === null) this.#left.resolve();
      else await session.answer(decision.decision, answer);
    } catch (error) {
      // Taken back, or answered elsewhere in the same moment: either way the journal says by whom.
      if (!signal.aborted && !FairleadError.is(error, "decision-not-open")) throw error;
    } finally {
      this.#asked.delete(decision.decision);
    }
  }

  #endOf(turn: string): PromiseWithResolvers<void> {
    const known = this.#turns.get(turn) ?? Promise.withResolvers<void>();
    this.#turns.set(turn, known);
    return known;
  }

  /** A session may end while we speak to it; what it said last tells how. */
  async #unlessEnded<Result>(wish: Promise<Result>): Promise<Result | undefined> {
    try {
      return await wish;
    } catch (error) {
      if (FairleadError.is(error, "session-ended")) return undefined;
      throw error;
    }
  }
}
