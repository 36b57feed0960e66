import {
  FairleadError,
  needsPerson,
  requestDigest,
  type AgentEvent,
  type Delta,
  type Event,
  type EventOf,
} from "@fairlead/contract";
import { exitCodeByOutcome, cliExitCodes } from "../exit-codes.ts";
import type { DecisionAnswerer, RequestedDecision } from "./decision-answerer.ts";
import type { FollowedSession } from "./followed-session.ts";
import type { MessageSource } from "./message-source.ts";

export interface InteractiveSessionOptions {
  readonly session: FollowedSession;
  /** Show events after this sequence number. */
  readonly after: number;
  readonly messages: MessageSource;
  readonly answerer: DecisionAnswerer;
  readonly show: (item: Event | Delta) => void;
  /** Called before a message is sent. */
  readonly onSend: (message: string) => void;
  /** Holds output back until disposal. */
  readonly holdOutput: () => Disposable;
  /** Called when the person interrupts the turn. */
  readonly onInterrupt: () => void;
}

/** How the conversation ended: with the session paused or ended, or with the person detached and the session running. */
export interface InteractiveResult {
  readonly outcome: "paused" | "ended" | "detached";
  readonly exitCode: number;
}

const doublePressWindow = 2000;
/** Events that appear between turns: of other clients, or of the agent. What is typed meanwhile is offered again. */
const shownBetweenTurns: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  "turn.started",
  "message.returned",
  "status.reported",
  "error.raised",
  "lead.changed",
]);

/** Runs a conversation: sends messages, shows events and answers decisions until the session ends or the person leaves. */
export class InteractiveSession {
  readonly #options: InteractiveSessionOptions;
  readonly #closing = new AbortController();
  readonly #detached = Promise.withResolvers<void>();
  /** Whether the event stream has ended. */
  #isStreamEnded = false;
  readonly #streamEnded = Promise.withResolvers<void>();
  /** Resolves when all events from before this conversation are on the screen. */
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #failure = Promise.withResolvers<never>();
  readonly #turnEnds = new Map<string, PromiseWithResolvers<void>>();
  /** Questions on the screen by decision. A question is withdrawn if its decision is resolved elsewhere. */
  readonly #openQuestions = new Map<string, AbortController>();
  #questionQueue = Promise.resolve();
  /** Aborts reading the next message. */
  #messageRead = new AbortController();
  #lastInterruptAt = -doublePressWindow;
  #outcome: InteractiveResult["outcome"] = "detached";
  #exitCode: number = cliExitCodes.success;
  /** How many requests of the turn were denied, and how many were not. */
  #requests = { denied: 0, granted: 0 };

  constructor(options: InteractiveSessionOptions) {
    this.#options = options;
  }

  async run(): Promise<InteractiveResult> {
    const following = this.#followEvents(this.#options.session.lastSequence);
    const sending = this.#sendMessages();
    try {
      await Promise.race([following, this.#detached.promise, this.#failure.promise, sending.then(() => following)]);
    } finally {
      this.#closing.abort();
      await Promise.allSettled([following, sending, this.#questionQueue]);
    }
    return { outcome: this.#outcome, exitCode: this.#outcome === "detached" ? cliExitCodes.success : this.#exitCode };
  }

  /** Handles Ctrl-C. The first press interrupts the turn. A second press, or one without a turn, detaches. */
  handleInterrupt(): void {
    const { session, onInterrupt } = this.#options;
    const isSecondPress = performance.now() - this.#lastInterruptAt < doublePressWindow;
    this.#lastInterruptAt = performance.now();
    if (isSecondPress || session.turn === null) return this.#detached.resolve();
    for (const question of this.#openQuestions.values()) question.abort();
    onInterrupt();
    session.interrupt().catch((error: unknown) => {
      if (!FairleadError.is(error, "no-open-turn") && !this.#closing.signal.aborted) this.#failure.reject(error);
    });
  }

  /** Handles Ctrl-\\. Leaves the session running, also in the middle of a turn. */
  detach(): void {
    this.#detached.resolve();
  }

  async #followEvents(lastKnown: number): Promise<void> {
    if (this.#options.after >= lastKnown) this.#caughtUp.resolve();
    try {
      for await (const item of this.#options.session.stream(this.#options.after, this.#closing.signal)) {
        // The line being typed is withdrawn first, so that the event does not appear behind the prompt.
        if ("body" in item && shownBetweenTurns.has(item.body.type)) this.#messageRead.abort();
        this.#options.show(item);
        if (!("body" in item)) continue;
        this.#applyEvent(item.body);
        if (item.sequence >= lastKnown) this.#caughtUp.resolve();
        if (item.body.type === "session.paused") return;
      }
    } finally {
      this.#isStreamEnded = true;
      this.#streamEnded.resolve();
      this.#messageRead.abort();
    }
  }

  #applyEvent(body: AgentEvent): void {
    switch (body.type) {
      case "turn.started":
        this.#lastInterruptAt = -doublePressWindow;
        this.#requests = { denied: 0, granted: 0 };
        break;
      case "turn.ended":
        this.#exitCode = this.#exitCodeOf(body.outcome);
        this.#turnEnd(body.turn).resolve();
        break;
      case "message.returned":
        this.#exitCode = cliExitCodes.failed;
        this.#turnEnd(body.turn).resolve();
        break;
      case "decision.requested":
        this.#questionQueue = this.#questionQueue
          .then(() => this.#answerDecision(body))
          .catch((error: unknown) => this.#failure.reject(error));
        break;
      case "decision.resolved":
        this.#openQuestions.get(body.decision)?.abort();
        if (body.outcome === "denied" || body.outcome === "timed-out") this.#requests.denied += 1;
        // The agent withdrew a canceled one.
        else if (body.outcome !== "canceled") this.#requests.granted += 1;
        break;
      case "session.paused":
        this.#outcome = "paused";
        break;
      case "session.ended":
        this.#outcome = "ended";
        if (body.reason !== "stopped" && body.reason !== "finished") this.#exitCode = cliExitCodes.failed;
        break;
      default:
    }
  }

  /** A turn in which all requests were denied did not do its work, although the agent completed it. */
  #exitCodeOf(outcome: EventOf<"turn.ended">["outcome"]): number {
    const { denied, granted } = this.#requests;
    return outcome === "completed" && denied > 0 && granted === 0 ? cliExitCodes.denied : exitCodeByOutcome[outcome];
  }

  async #sendMessages(): Promise<void> {
    const { session, messages, onSend } = this.#options;
    await Promise.race([this.#caughtUp.promise, this.#streamEnded.promise]);
    while (!this.#isStreamEnded) {
      await this.#waitUntilIdle();
      this.#messageRead = new AbortController();
      const { signal } = this.#messageRead;
      const message = await messages.next(AbortSignal.any([signal, this.#closing.signal])).catch((error: unknown) => {
        if (signal.aborted) return undefined;
        throw error;
      });
      if (message === undefined) continue; // withdrawn: an event is shown, or the stream has ended
      if (message === null) return await this.#ignorePause(this.#ignoreSessionEnded(session.pause()));
      onSend(message);
      const turn = await this.#ignoreSessionEnded(session.send(message));
      if (turn !== undefined) await Promise.race([this.#turnEnd(turn).promise, this.#streamEnded.promise]);
    }
  }

  /** Waits until no turn is running. */
  async #waitUntilIdle(): Promise<void> {
    const { session } = this.#options;
    for (let turn = session.turn; turn !== null; turn = session.turn) {
      await Promise.race([this.#turnEnd(turn).promise, this.#streamEnded.promise]);
      if (this.#isStreamEnded) return;
    }
  }

  async #answerDecision(decision: RequestedDecision): Promise<void> {
    const { session, answerer, holdOutput } = this.#options;
    if (!session.isWaitingFor(decision.decision)) return;
    if (!needsPerson(session.mode, decision)) return;
    const question = new AbortController();
    this.#openQuestions.set(decision.decision, question);
    using _ = holdOutput();
    const signal = AbortSignal.any([question.signal, this.#closing.signal]);
    try {
      const answer = await answerer.answer(decision, signal);
      if (answer === null) this.#detached.resolve();
      else await session.answer(decision.decision, { ...answer, digest: requestDigest(decision) });
    } catch (error) {
      // The question was withdrawn, or another client answered first. The journal records who answered.
      const isLate = FairleadError.is(error, "decision-not-open") || FairleadError.is(error, "conflict");
      if (!signal.aborted && !isLate) throw error;
    } finally {
      this.#openQuestions.delete(decision.decision);
    }
  }

  #turnEnd(turn: string): PromiseWithResolvers<void> {
    const deferred = this.#turnEnds.get(turn) ?? Promise.withResolvers<void>();
    this.#turnEnds.set(turn, deferred);
    return deferred;
  }

  /** Ignores that another client pauses the session: this one asked for the same. */
  async #ignorePause(request: Promise<void>): Promise<void> {
    await request.catch((error: unknown) => {
      if (!FairleadError.is(error, "session-paused")) throw error;
    });
  }

  /** Ignores the end of the session during a request: the session's last event reports it. */
  async #ignoreSessionEnded<Result>(request: Promise<Result>): Promise<Result | undefined> {
    try {
      return await request;
    } catch (error) {
      if (FairleadError.is(error, "session-ended")) return undefined;
      throw error;
    }
  }
}
