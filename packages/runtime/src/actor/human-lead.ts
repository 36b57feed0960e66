import { randomUUID } from "node:crypto";
import { FairleadError, isOpen, startTimer, type Delta, type Event, type TerminalSize } from "@fairlead/contract";
import { RequestRejected, KeeperGone, type KeeperRequest } from "@fairlead/keeper";
import { describeExit } from "@fairlead/reducer";
import { clientQueueLimit, type Subscription } from "./subscription.ts";
import { commandRejected } from "./command-rejected.ts";
import type { SessionActor } from "./session-actor.ts";

/** Milliseconds to wait for output after a resize, for the first and the following attempts. */
const redrawTimeouts = [500, 1000, 2000];
/** Milliseconds that a terminal has for its first output. A program may print nothing before it gets a key. */
const firstOutputTimeout = 2000;

/** Gives a person the lead in the agent's own terminal, and transfers the terminal's input and output meanwhile. */
export class HumanLead {
  readonly #actor: SessionActor;
  /** The size that a client of this process last requested. */
  #size: TerminalSize | null = null;

  constructor(actor: SessionActor) {
    this.#actor = actor;
  }

  /** Whether the terminal runs and accepts input. */
  get isTerminalRunning(): boolean {
    return this.#isHumanLeading && this.#actor.state.running;
  }

  /**
   * Submits the command that takes the lead, and waits until the terminal runs. If a person leads already, makes the
   * terminal draw its screen again, because a new client has not seen it.
   */
  async takeOver(size: TerminalSize, submit: () => Promise<void>): Promise<void> {
    if (this.isTerminalRunning) {
      this.#size = size;
      return await this.#redraw();
    }
    if (!this.#actor.keeper.features.has("terminal")) {
      const hint =
        "The session's keeper is of an older version and cannot open a terminal. Pause the session, then try again.";
      throw new FairleadError("not-supported", hint);
    }
    this.#size = size;
    this.#actor.output.terminalSize = size;
    // The state decides, not an event: the end of an earlier terminal may be published after the subscription.
    const isWithdrawn = (): boolean => this.#actor.state.desiredState !== "take-over";
    const isSettled = (): boolean => this.#isTerminalOpen || isWithdrawn();
    const waiting = new AbortController();
    try {
      const firstOutput = this.#awaitOutput(waiting.signal);
      await submit();
      await this.#waitUntil(isSettled);
      // A program sets its terminal up before its first output, and may discard or misread keys from before.
      using _timer = startTimer(firstOutputTimeout, () => waiting.abort());
      await Promise.race([firstOutput, this.#waitUntil(isWithdrawn, waiting.signal)]);
    } finally {
      waiting.abort();
    }
    // A terminal that exited meanwhile is recorded before the agent leads again.
    await this.#waitUntil(isSettled);
    if (!this.#isTerminalOpen) throw this.#explainMissingTerminal();
  }

  async handBack(submit: () => Promise<void>): Promise<void> {
    await submit();
    await this.#waitUntil(() => !this.#isHumanLeading);
  }

  /**
   * Sends keys to the terminal, at most once. They are not recorded, because people type secrets. Throws `input-full` if
   * nothing was typed and the same keys may be sent again.
   */
  async type(text: string): Promise<void> {
    await this.#sendToTerminal({ do: "type", id: `type-${randomUUID()}`, text });
  }

  async resize(size: TerminalSize): Promise<void> {
    this.#size = size;
    await this.#sendSize(size);
  }

  /** Yields the terminal's output from this call on, not from the first `next`, until the agent leads again. */
  screen(signal?: AbortSignal): AsyncGenerator<string> {
    return this.#readScreen(this.#subscribeToScreen(signal), signal);
  }

  async *#readScreen(first: Subscription<Event | Delta>, signal?: AbortSignal): AsyncGenerator<string> {
    for (let subscription = first; ; subscription = this.#subscribeToScreen(signal)) {
      // A reader that was too slow has missed output, and the output that follows makes no sense without it. This
      // subscription gets the new screen. If the redraw fails, the terminal has ended, which the subscription reports.
      if (subscription !== first && this.#size !== null) this.#redraw().catch(() => {});
      for await (const item of subscription) {
        if (isLeadReturned(item)) return;
        if (isScreen(item)) yield item.text;
      }
      // It also missed the end of the lead, if the agent leads now: only the output of a terminal fills its queue.
      if (!subscription.isBehind || !this.#isHumanLeading) return;
    }
  }

  #subscribeToScreen(signal: AbortSignal | undefined): Subscription<Event | Delta> {
    const accepts = (item: Event | Delta): boolean => isScreen(item) || isLeadReturned(item);
    return this.#actor.subscribe({ maxQueued: clientQueueLimit, signal, accepts });
  }

  /**
   * Returns why no terminal runs after a take-over. Only a terminal that could not be opened is a failure. Another caller
   * may have ended it, with a command or with keys, before this process looked at the state.
   */
  #explainMissingTerminal(): FairleadError {
    const { ledger, desiredState, terminalFailed, terminalExit } = this.#actor.state;
    if (ledger.over || desiredState === "end") return commandRejected("session-ended");
    const reason = "The session's events give the reason.";
    if (terminalFailed) return new FairleadError("not-started", `The agent's terminal could not be opened. ${reason}`);
    if (desiredState === "take-over")
      return new FairleadError("unavailable", "This process has released the session before the terminal opened.");
    const message =
      terminalExit === null
        ? "Another caller handed the lead back."
        : `The agent's terminal has ended: ${describeExit(terminalExit)}. The agent leads again.`;
    return new FairleadError("not-taken-over", message);
  }

  /** Whether the terminal runs, and no command is about to end it. */
  get #isTerminalOpen(): boolean {
    return this.isTerminalRunning && this.#actor.state.desiredState === "take-over";
  }

  get #isHumanLeading(): boolean {
    return isOpen(this.#actor.state.ledger, "lead");
  }

  /** Waits until the condition is true, the session has ended or the signal aborts. */
  async #waitUntil(condition: () => boolean, signal?: AbortSignal): Promise<void> {
    await this.#actor.waitUntil(() => condition() || this.#actor.state.ledger.over, signal);
  }

  /**
   * Makes the program in the terminal draw its whole screen. A program does so only when its size changes, so this
   * changes the size and back. A busy program may not notice the change in time and draws nothing; then this tries again.
   */
  async #redraw(): Promise<void> {
    for (const timeout of redrawTimeouts) {
      // Read before each step: a client may resize the terminal meanwhile.
      if (this.#size === null) return;
      await this.#sendSizeAndAwaitOutput(withOtherRows(this.#size), timeout);
      if (await this.#sendSizeAndAwaitOutput(this.#size, timeout)) return;
    }
  }

  /** Resizes the terminal. Returns whether it produced output before the timeout. */
  async #sendSizeAndAwaitOutput(size: TerminalSize, timeout: number): Promise<boolean> {
    const output = this.#awaitOutput(AbortSignal.timeout(timeout));
    await this.#sendSize(size);
    return await output;
  }

  /** Returns whether the terminal produces output, from this call on, before the signal aborts. */
  #awaitOutput(signal: AbortSignal): Promise<boolean> {
    const subscription = this.#actor.subscribe({ signal, accepts: isScreen });
    const result = (async () => {
      for await (const _ of subscription) return true;
      return false;
    })();
    result.catch(() => {}); // a caller whose request fails does not await it
    return result;
  }

  async #sendSize(size: TerminalSize): Promise<void> {
    await this.#sendToTerminal({ do: "resize", id: `resize-${randomUUID()}`, size });
    this.#actor.output.terminalSize = size;
  }

  async #sendToTerminal(request: KeeperRequest): Promise<void> {
    if (!this.#isHumanLeading) throw commandRejected("not-taken-over");
    try {
      await this.#actor.keeper.send(request);
    } catch (error) {
      // A keeper that has left rejects keys so, too. Sent again, they are rejected because the terminal is gone.
      if (error instanceof RequestRejected && error.retryable && request.do === "type")
        throw new FairleadError("input-full", error.message, { cause: error });
      // The keeper has no terminal yet or any more. A keeper that is gone took it along.
      if (error instanceof RequestRejected || error instanceof KeeperGone) {
        const message = error instanceof RequestRejected ? error.message : "The agent's terminal has ended.";
        throw new FairleadError("not-taken-over", message, { cause: error });
      }
      throw error;
    }
  }
}

function withOtherRows(size: TerminalSize): TerminalSize {
  return { ...size, rows: size.rows > 1 ? size.rows - 1 : 2 };
}

function isScreen(item: Event | Delta): item is Delta {
  return "type" in item && item.type === "screen";
}

function isLeadReturned(item: Event | Delta): boolean {
  return "body" in item && item.body.type === "lead.changed" && item.body.lead === "agent";
}
