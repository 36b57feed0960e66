import type { Fairlead, SessionView } from "@fairlead/api";
import { KeySender, type LostKeys, takeTerminal, type TakenTerminal } from "@fairlead/client";
import { FairleadError, type TerminalSize } from "@fairlead/contract";
import {
  addLostInput,
  initialTerminalState,
  isLive,
  type LostInput,
  type TerminalState,
  type TerminalStatus,
} from "../state/terminal/terminal-state.ts";
import { waitOrOnline } from "./wait-or-online.ts";
import { type WatchedOutput, watchScreen } from "./watch-screen.ts";

export interface TerminalLinkOptions {
  /** A client that reports a lost connection at once: what was drawn meanwhile is missing, so the screen must be drawn again. */
  readonly fairlead: Fairlead;
  readonly session: string;
  /** Whether the person leads here, or only watches. */
  readonly role: "lead" | "watch";
  /** The size of the page's terminal. */
  readonly size: () => TerminalSize;
  readonly write: (text: string) => void;
  /** Called for a watcher before a text that another size of the terminal draws. */
  readonly onSize?: (size: TerminalSize) => void;
}

const firstRetryDelay = 250;
const maxRetryDelay = 2000;

/** Refusals of keys that the service gives before it types anything. */
const certainRefusals = ["not-taken-over", "session-ended", "session-not-found", "not-allowed"] as const;

/** Connects a terminal of the page with that of the agent, over outages of any length. React reads its state as a store. */
export class TerminalLink {
  readonly #options: TerminalLinkOptions;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  readonly #keys: KeySender;
  #state: TerminalState = initialTerminalState;
  #terminal: TakenTerminal | null = null;
  #connection = new AbortController();

  constructor(options: TerminalLinkOptions) {
    this.#options = options;
    this.#keys = new KeySender({
      type: (text) => options.fairlead.type(options.session, text),
      signal: this.#ending.signal,
      onLost: (lost) => this.#lose(lost),
      onPending: (pending) => this.#set({ ...this.#state, pending }),
    });
  }

  readonly getSnapshot = (): TerminalState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Types keys. Without a connection, they are kept to be shown: typed later, they would act on another screen. */
  send(keys: string): void {
    if (this.#options.role === "watch" || !isLive(this.#state)) return;
    if (this.#terminal === null) this.#set(addLostInput(this.#state, { unsent: keys }));
    else this.#keys.send(keys);
  }

  /** Types what was not sent. */
  sendUnsent(): void {
    const { lost } = this.#state;
    if (lost === null || this.#terminal === null) return;
    this.forgetLost();
    if (lost.unsent !== "") this.send(lost.unsent);
  }

  forgetLost(): void {
    this.#set({ ...this.#state, lost: null });
  }

  resize(size: TerminalSize): void {
    if (this.#terminal === null) return;
    this.#set({ ...this.#state, size });
    this.#terminal.resize(size).catch(() => {}); // the screen reports a terminal that is gone
  }

  /** Shows the terminal until it ends, the service refuses it, or the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#ending.abort());
    let wait = firstRetryDelay;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      this.#connection = new AbortController();
      const connection = AbortSignal.any([signal, this.#connection.signal]);
      try {
        const view = await this.#options.fairlead.session(this.#options.session);
        if (!isFirst && hasEnded(view)) return this.#setStatus(endOf(view));
        for await (const output of await this.#open(view, connection)) {
          wait = firstRetryDelay;
          if (typeof output !== "string" && output.size !== undefined) this.#takeSize(output.size);
          this.#options.write(typeof output === "string" ? output : output.text);
        }
        if (!connection.aborted) return this.#setStatus(endOf(await this.#options.fairlead.session(view.session)));
      } catch (error) {
        if (signal.aborted) return;
        if (!this.#connection.signal.aborted && !FairleadError.is(error, "unavailable"))
          return this.#setStatus({ type: "refused", reason: (error as Error).message });
      } finally {
        this.#terminal = null;
        this.#connection.abort();
      }
      if (signal.aborted) return;
      this.#setStatus({ type: "lost", reason: "The connection is lost." });
      await waitOrOnline(wait, signal);
      wait = Math.min(wait * 2, maxRetryDelay);
    }
  }

  async #open(view: SessionView, signal: AbortSignal): Promise<AsyncIterable<string | WatchedOutput>> {
    const { fairlead, role, size } = this.#options;
    if (role === "watch") {
      this.#setStatus({ type: "open" });
      return watchScreen(fairlead, view, signal);
    }
    const requested = size();
    const terminal = await takeTerminal(fairlead, view, requested, signal);
    this.#terminal = terminal;
    this.#set({ ...this.#state, status: { type: "open" }, size: requested });
    const current = size();
    if (current.columns !== requested.columns || current.rows !== requested.rows) this.resize(current);
    return terminal.screen;
  }

  /** Takes the size of a terminal that another person leads. */
  #takeSize(size: TerminalSize): void {
    const { size: known } = this.#state;
    if (known?.columns === size.columns && known.rows === size.rows) return;
    this.#set({ ...this.#state, size });
    this.#options.onSize?.(size);
  }

  #lose({ uncertain, unsent, error }: LostKeys): void {
    const isCertain = certainRefusals.some((code) => FairleadError.is(error, code));
    const lost: LostInput = isCertain ? { uncertain: "", unsent: uncertain + unsent } : { uncertain, unsent };
    this.#set(addLostInput(this.#state, lost));
    // A browser may notice late that its WebSocket is dead. The next connection draws the screen again.
    this.#connection.abort();
  }

  #setStatus(status: TerminalStatus): void {
    this.#set({ ...this.#state, status });
  }

  #set(state: TerminalState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function hasEnded({ state, lead }: SessionView): boolean {
  return state === "ended" || lead !== "human";
}

function endOf({ state }: SessionView): TerminalStatus {
  return state === "ended" ? { type: "ended" } : { type: "handed-back" };
}
