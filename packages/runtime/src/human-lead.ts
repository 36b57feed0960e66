import { randomUUID } from "node:crypto";
import { FairleadError, isOpen, type Delta, type Event, type TerminalSize } from "@fairlead/contract";
import { FrameRefused, KeeperGone, type Frame } from "@fairlead/keeper";
import type { Listening } from "./listening.ts";
import { refused } from "./refused.ts";
import type { SessionActor } from "./session-actor.ts";

/** How much may wait for one who watches. */
const mostWaiting = 4096;

/** How long a program may take to draw after a change of its size, the first time and the next ones, in milliseconds. */
const drawing = [500, 1000, 2000];

/** The lead of a person in the agent's own terminal: how it passes, and what is shown and typed meanwhile. */
export class HumanLead {
  readonly #actor: SessionActor;
  /** As it was last set from here. */
  #size: TerminalSize | null = null;

  constructor(actor: SessionActor) {
    this.#actor = actor;
  }

  /** Whether the terminal is there, to be typed into. */
  get isUp(): boolean {
    return this.#isTaken && this.#actor.state.running;
  }

  /**
   * Has the lead taken by `wish`, unless a person has it already, and waits until the terminal shows something. Who comes
   * to one that is there already has it drawn again.
   */
  async take(size: TerminalSize, wish: () => Promise<void>): Promise<void> {
    if (this.isUp) return await this.#redraw(size);
    if (!this.#actor.keeper.features.has("terminal")) {
      const how = "Its keeper is of an older version and cannot hold a terminal: pause the session, then try again.";
      throw new FairleadError("not-supported", how);
    }
    this.#size = size;
    using told = this.#actor.listen();
    await wish();
    await this.#until(told, () => this.isUp);
    if (this.isUp) return;
    throw new FairleadError("not-started", "The agent's terminal could not be opened; the journal says why.");
  }

  async handBack(wish: () => Promise<void>): Promise<void> {
    using told = this.#actor.listen();
    await wish();
    await this.#until(told, () => !this.#isTaken);
  }

  /** Done at most once, and nowhere written down. */
  async type(text: string): Promise<void> {
    await this.#touch({ do: "type", id: `type-${randomUUID()}`, text });
  }

  async resize(size: TerminalSize): Promise<void> {
    this.#size = size;
    await this.#touch({ do: "resize", id: `resize-${randomUUID()}`, size });
  }

  /** What the terminal shows, from this moment on and not from the first `next`, until the lead is the agent's. */
  screen(signal?: AbortSignal): AsyncGenerator<string> {
    return this.#shown(this.#actor.listen({ cap: mostWaiting, signal }), signal);
  }

  async *#shown(first: Listening<Event | Delta>, signal?: AbortSignal): AsyncGenerator<string> {
    for (let told = first; ; told = this.#actor.listen({ cap: mostWaiting, signal })) {
      for await (const one of told) {
        if (isReturn(one)) return;
        if ("type" in one && one.type === "screen") yield one.text;
      }
      if (!told.behind) return;
      // Who was too slow has missed some of it, and what comes next would make no sense without.
      if (this.#size !== null) await this.#redraw(this.#size);
    }
  }

  get #isTaken(): boolean {
    return isOpen(this.#actor.state.ledger, "lead");
  }

  /** Waits for a fact about the lead; it also ends when the lead has come back, or the session is over. */
  async #until(told: AsyncIterable<Event | Delta>, isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    for await (const one of told) {
      if (isSo() || this.#actor.state.ledger.over) return;
      if (isReturn(one)) return;
    }
  }

  /**
   * A program draws everything when its size changes, and only then; so it has to change, and be seen to. One that is
   * too busy to notice before the size is right again draws nothing, and then it is tried once more.
   */
  async #redraw(size: TerminalSize): Promise<void> {
    for (const patience of drawing) {
      await this.#drawn({ ...size, rows: size.rows > 1 ? size.rows - 1 : 2 }, patience);
      if (await this.#drawn(size, patience)) return;
    }
  }

  /** Whether the terminal has shown something soon after it was resized. */
  async #drawn(size: TerminalSize, patience: number): Promise<boolean> {
    const signal = AbortSignal.timeout(patience);
    using told = this.#actor.listen({ signal });
    await this.resize(size);
    for await (const one of told) if ("type" in one && one.type === "screen") return true;
    return false;
  }

  async #touch(frame: Frame): Promise<void> {
    if (!this.#isTaken) throw refused("not-taken-over");
    try {
      await this.#actor.keeper.send(frame);
    } catch (error) {
      if (error instanceof FrameRefused || error instanceof KeeperGone) {
        throw new FairleadError("unavailable", error.message, { cause: error });
      }
      throw error;
    }
  }
}

function isReturn(one: Event | Delta): boolean {
  return "body" in one && one.body.type === "lead.changed" && one.body.lead === "agent";
}
