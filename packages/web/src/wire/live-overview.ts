import { type Fairlead, type OverviewFrame, overviewHeartbeatMs } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { applyOverview, emptyOverview, type Overview } from "../state/overview.ts";
import type { ConnectionFacts } from "../state/freshness.ts";
import { Links, type MessageArrival } from "./links.ts";
import { adoptServiceTime, serviceNow } from "./service-clock.ts";

export interface LiveState extends ConnectionFacts {
  readonly overview: Overview;
}

/** A busy machine may send a heartbeat half of one late. */
const maxSilenceMs = 1.5 * overviewHeartbeatMs;
const staggerMs = 1500;
const maxRetryDelayMs = 1000;

/**
 * Keeps an overview current for the whole life of the page, over outages of any length. React reads it as a store. It also
 * tells the rest of the page how the connection is, because only the overview has a heartbeat.
 */
export class LiveOverview {
  #state: LiveState = { overview: emptyOverview, isOpen: false, heardAt: null, refusal: null };
  /** The state that replaces the overview when it is whole. Without it the page would show half of the sessions meanwhile. */
  #next: Overview | null = null;
  #position: string | undefined;
  #reconnected = new AbortController();
  readonly #listeners = new Set<() => void>();

  readonly getSnapshot = (): LiveState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Aborts when the service is reached over another connection than before. Requests and streams from before it may be dead
   * without an error, so they end with it and are sent or opened again.
   */
  get reconnected(): AbortSignal {
    return this.#reconnected.signal;
  }

  /** Resolves when the service can be reached, or the signal aborts. */
  async untilOpen(signal: AbortSignal): Promise<void> {
    if (this.#state.isOpen || signal.aborted) return;
    const opened = Promise.withResolvers<void>();
    const unsubscribe = this.subscribe(() => this.#state.isOpen && opened.resolve());
    const stop = (): void => opened.resolve();
    signal.addEventListener("abort", stop);
    await opened.promise;
    signal.removeEventListener("abort", stop);
    unsubscribe();
  }

  /** Follows the service until the signal aborts, or the service refuses the token. The client must not retry. */
  async follow(fairlead: Fairlead, signal: AbortSignal): Promise<void> {
    const links = new Links<OverviewFrame>({
      open: (closing) =>
        fairlead.overview({ signal: closing, ...(this.#position !== undefined && { after: this.#position }) }),
      onMessage: (frame, arrival) => this.#apply(frame, arrival),
      onLost: () => this.#markLost(),
      isFinal: (error) => this.#refuse(error),
      maxSilenceMs,
      staggerMs,
      maxRetryDelayMs,
    });
    // A browser that freezes the tab stops its timers: what was shown as live would stay so.
    document.addEventListener("freeze", () => this.#markLost(), { signal });
    const wakes = [
      [document, ["resume", "visibilitychange"]],
      [window, ["online", "pageshow", "focus"]],
    ] as const;
    for (const [target, names] of wakes)
      for (const name of names) target.addEventListener(name, links.check, { signal });
    await links.run(signal);
  }

  #apply(frame: OverviewFrame, { isNewLink, isLate }: MessageArrival): void {
    const { overview } = this.#state;
    this.#position = frame.position;
    if (!isLate) adoptServiceTime(frame.now);
    if (frame.reset) this.#next = emptyOverview;
    const applied = applyOverview(this.#next ?? overview, frame);
    const isShown = applied.isComplete || !overview.isComplete;
    this.#next = applied.isComplete ? null : applied;
    const next = isShown ? applied : overview;
    if (isLate) return this.#set({ ...this.#state, overview: next });
    const previous = this.#reconnected;
    if (isNewLink) this.#reconnected = new AbortController();
    this.#set({ overview: next, isOpen: true, heardAt: serviceNow(), refusal: null });
    if (isNewLink) previous.abort();
  }

  #markLost(): void {
    if (this.#state.isOpen) this.#set({ ...this.#state, isOpen: false });
  }

  #refuse(error: unknown): boolean {
    if (!FairleadError.is(error, "not-allowed")) return false;
    this.#set({ ...this.#state, isOpen: false, refusal: error.message });
    return true;
  }

  #set(state: LiveState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
