import { randomUUID } from "node:crypto";
import { FairleadError, isOpen, type Delta, type Event, type TerminalSize } from "@fairlead/contract";
import { RequestRejected, KeeperGone, type KeeperRequest } from "@fairlead/keeper";
import { clientQueueLimit, type Subscription } from "./subscription.ts";
import { commandRejected } from "./command-rejected.ts";
import type { SessionActor } from "./session-actor.ts";

/** Milliseconds to wait for output after a resize, for the first and the following attempts. */
const redrawTimeouts = [500, 1000, 2000];

/** Gives a person the lead in the agent's own terminal, and transfers the terminal's input and output meanwhile. */
export class HumanLead {
  readonly #actor: SessionActor;
  /** The size that this process last set. */
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
    if (this.isTerminalRunning) return await this.#redraw(size);
    if (!this.#actor.keeper.features.has("terminal")) {
      const hint =
        "The session's keeper is of an older version and cannot open a terminal. Pause the session, then try again.";
      throw new FairleadError("not-supported", hint);
    }
    this.#size = size;
    using subscription = this.#actor.subscribe();
    await submit();
    // The state decides, not an event: the end of an earlier terminal may be published after the subscription.
    const isSettled = (): boolean => this.isTerminalRunning || this.#actor.state.desiredState !== "take-over";
    await this.#waitUntil(subscription, isSettled);
    if (!this.isTerminalRunning) throw this.#explainMissingTerminal();
  }

  async handBack(submit: () => Promise<void>): Promise<void> {
    using subscription = this.#actor.subscribe();
    await submit();
    await this.#waitUntil(subscription, () => !this.#isHumanLeading);
  }

  /** Sends keys to the terminal, at most once. They are not recorded, because people type secrets. */
  async type(text: string): Promise<void> {
    await this.#sendToTerminal({ do: "type", id: `type-${randomUUID()}`, text });
  }

  async resize(size: TerminalSize): Promise<void> {
    this.#size = size;
    await this.#sendToTerminal({ do: "resize", id: `resize-${randomUUID()}`, size });
  }

  /** Yields the terminal's output from this call on, not from the first `next`, until the agent leads again. */
  screen(signal?: AbortSignal): AsyncGenerator<string> {
    return this.#readScreen(this.#actor.subscribe({ maxQueued: clientQueueLimit, signal }), signal);
  }

  async *#readScreen(first: Subscription<Event | Delta>, signal?: AbortSignal): AsyncGenerator<string> {
    for (let subscription = first; ; subscription = this.#actor.subscribe({ maxQueued: clientQueueLimit, signal })) {
      for await (const item of subscription) {
        if (isLeadReturned(item)) return;
        if ("type" in item && item.type === "screen") yield item.text;
      }
      if (!subscription.isBehind) return;
      // A reader that was too slow has missed output, and the output that follows makes no sense without it.
      if (this.#size !== null) await this.#redraw(this.#size);
    }
  }

  /**
   * Returns why no terminal runs after a take-over. Only a terminal that could not be opened is a failure. Another caller
   * may have ended it, with a command or with keys, before this process looked at the state.
   */
  #explainMissingTerminal(): FairleadError {
    const { ledger, desiredState, terminalFailed } = this.#actor.state;
    if (ledger.over || desiredState === "end") return commandRejected("session-ended");
    const reason = "The session's events give the reason.";
    if (terminalFailed) return new FairleadError("not-started", `The agent's terminal could not be opened. ${reason}`);
    if (desiredState === "take-over")
      return new FairleadError("unavailable", "This process has released the session before the terminal opened.");
    return new FairleadError(
      "not-taken-over",
      `The agent's terminal has ended already, or another caller handed the lead back. ${reason}`,
    );
  }

  get #isHumanLeading(): boolean {
    return isOpen(this.#actor.state.ledger, "lead");
  }

  /** Waits until the condition is true or the session has ended. */
  async #waitUntil(subscription: AsyncIterable<Event | Delta>, condition: () => boolean): Promise<void> {
    if (condition()) return;
    for await (const _ of subscription) if (condition() || this.#actor.state.ledger.over) return;
  }

  /**
   * Makes the program in the terminal draw its whole screen. A program does so only when its size changes, so this
   * changes the size and back. A busy program may not notice the change in time and draws nothing; then this tries again.
   */
  async #redraw(size: TerminalSize): Promise<void> {
    for (const timeout of redrawTimeouts) {
      await this.#resizeAndAwaitOutput({ ...size, rows: size.rows > 1 ? size.rows - 1 : 2 }, timeout);
      if (await this.#resizeAndAwaitOutput(size, timeout)) return;
    }
  }

  /** Resizes the terminal. Returns whether it produced output before the timeout. */
  async #resizeAndAwaitOutput(size: TerminalSize, timeout: number): Promise<boolean> {
    const signal = AbortSignal.timeout(timeout);
    using subscription = this.#actor.subscribe({ signal });
    await this.resize(size);
    for await (const item of subscription) if ("type" in item && item.type === "screen") return true;
    return false;
  }

  async #sendToTerminal(request: KeeperRequest): Promise<void> {
    if (!this.#isHumanLeading) throw commandRejected("not-taken-over");
    try {
      await this.#actor.keeper.send(request);
    } catch (error) {
      // The keeper has no terminal yet or any more. A keeper that is gone took it along.
      if (error instanceof RequestRejected || error instanceof KeeperGone) {
        const message = error instanceof RequestRejected ? error.message : "The agent's terminal has ended.";
        throw new FairleadError("not-taken-over", message, { cause: error });
      }
      throw error;
    }
  }
}

function isLeadReturned(item: Event | Delta): boolean {
  return "body" in item && item.body.type === "lead.changed" && item.body.lead === "agent";
}
