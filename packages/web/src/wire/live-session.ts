import type { Fairlead } from "@fairlead/api";
import type { Delta, ReadEvent } from "@fairlead/contract";
import {
  emptyWindow,
  type EventWindow,
  isAtHead,
  withArrivals,
  withoutFarPages,
  withPage,
  withPlace,
  withRecent,
} from "../state/timeline/event-window.ts";
import { noLiveTexts } from "../state/timeline/live-texts.ts";
import { canShow } from "../state/timeline/find-row.ts";
import { missingPages, type PageRequest, type RowMargins } from "../state/timeline/missing-pages.ts";
import { listRows, rowAt, type RowList } from "../state/timeline/row-list.ts";
import { heldRange } from "../state/timeline/timeline.ts";
import { collectFrames, type FrameCollector } from "./collect-frames.ts";
import { readPlace } from "../state/timeline/read-place.ts";
import { readJournalPage } from "./read-journal-page.ts";
import { type ReadFailure, Retries } from "./retries.ts";

/** What the page shows of one session. */
export interface LiveSessionState {
  readonly window: EventWindow;
  readonly rows: RowList;
  /** Set until the first events are there. */
  readonly isLoading: boolean;
  /** Counts the jumps, so that the list moves once for each. */
  readonly jump: { readonly count: number; readonly to: number | "end" } | null;
  /** Why a part of the session cannot be read now. What was read before stays. */
  readonly failure: ReadFailure | null;
}

/** With more new events than this since the connection was lost, the newest page is read instead of all of them. */
const maxStreamedGap = 1_000;
const maxRecent = 1_000;
/** Longer than that of a page, so that a text that a person watched does not shrink when it ends. */
const maxStreamedText = 100_000;
/** The service does not say that the stream of a quiet session is open, but refuses a stream sooner than this. */
const refusalTime = 3_000;

interface FollowOptions {
  /** What is shown first, or null if something is shown already. */
  readonly target: number | "end" | null;
  readonly isFirst: boolean;
  /** Called when the stream works. */
  readonly onWorks: () => void;
}

/**
 * Keeps the part of a session current that a person looks at. Reads pages around the screen, and adds what the service
 * streams once a frame. React reads it as a store.
 */
export class LiveSession {
  readonly #fairlead: Fairlead;
  readonly #session: string;
  readonly #listeners = new Set<() => void>();
  readonly #arrivals: FrameCollector<ReadEvent | Delta>;
  /** Events that arrived while a page before them was on its way. */
  #recent: ReadEvent[] = [];
  #state: LiveSessionState = {
    window: emptyWindow(0),
    rows: { count: 0, parts: [], starts: [] },
    isLoading: true,
    jump: null,
    failure: null,
  };
  #signal: AbortSignal = AbortSignal.abort();
  /** Aborts when too much was missed to be streamed, so that the stream begins again at the end of the session. */
  #stream = new AbortController();
  /** Whether the last row is on the screen. What a person reads above it does not move. */
  #seesEnd = true;
  readonly #retries = new Retries((failure) => this.#set({ failure }));
  #reading = new Set<number>();
  #jump = new AbortController();

  constructor(fairlead: Fairlead, session: string) {
    this.#fairlead = fairlead;
    this.#session = session;
    this.#arrivals = collectFrames((arrivals) => this.#add(arrivals));
  }

  readonly getSnapshot = (): LiveSessionState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the session from a number, or its end, and follows it until the signal aborts. */
  async run(from: number | null, signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    let isRetry = false;
    const follow = async (onWorks: () => void): Promise<void> => {
      const isFirst = !isRetry;
      isRetry = true;
      await this.#follow({ target: this.#state.isLoading ? (from ?? "end") : null, isFirst, onWorks });
    };
    do {
      this.#stream = new AbortController();
      await this.#retries.run("events as they happen", follow, signal);
    } while (this.#stream.signal.aborted && !signal.aborted);
  }

  /**
   * Continues when the connection is back. The stream would repeat every event of the outage, which may have lasted as long
   * as a computer slept.
   */
  async continueAfterOutage(): Promise<void> {
    this.#retries.now();
    // Without an answer, the stream itself fails and says so.
    const view = await this.#fairlead.session(this.#session).catch(() => null);
    if (view !== null && view.last - this.#state.window.head > maxStreamedGap) this.#stream.abort();
  }

  /** Attempts at once what waits for its next attempt, because a person asks for it or the connection is back. */
  retryNow(): void {
    this.#retries.now();
  }

  /** Moves to an event, or to the end of the session. A later jump replaces one that still reads its page. */
  async jumpTo(to: number | "end"): Promise<void> {
    await this.#show(to);
  }

  /** Returns false if the place cannot be read, so that there is nothing to show. */
  async #show(to: number | "end"): Promise<boolean> {
    this.#jump.abort();
    const jump = (this.#jump = new AbortController());
    const signal = AbortSignal.any([this.#signal, jump.signal]);
    const { head } = this.#state.window;
    const number = to === "end" ? head : Math.min(Math.max(1, to), head);
    let { window } = this.#state;
    this.#retries.forget("place");
    if (number > 0 && !canShow(window, number)) {
      const read = () => readPlace(window, number, (request) => this.#readPage(request, signal));
      const events = await this.#retries.run("place", read, signal);
      // The later jump shows something.
      if (signal.aborted) return true;
      if (events === null) return false;
      window = withRecent(withPlace(this.#state.window, events), this.#recent);
    }
    // In one step, so that the list never shows the pages of the place without moving there.
    this.#set({
      window,
      rows: window === this.#state.window ? this.#state.rows : listRows(window),
      jump: { count: (this.#state.jump?.count ?? 0) + 1, to },
    });
    return true;
  }

  /**
   * Says which of the rows are on the screen, so that pages around them are read and far ones are removed. Indexes of rows
   * that were replaced since mean others now: the screen reports the new ones next.
   */
  onScreen(shown: RowList, firstIndex: number, lastIndex: number): void {
    const { window, rows } = this.#state;
    if (shown !== rows) return;
    this.#seesEnd = lastIndex >= rows.count - 1;
    const margins: RowMargins = { above: firstIndex, below: rows.count - 1 - lastIndex };
    for (const request of missingPages(window, margins)) void this.#read(request);
    const from = rowAt(rows, firstIndex)?.first ?? 0;
    const to = rowAt(rows, lastIndex)?.last ?? from;
    const trimmed = withoutFarPages(window, { from, to: Math.min(to, window.head) });
    if (trimmed !== window) this.#setWindow(trimmed);
  }

  /** Streams until the session has ended. */
  async #follow({ target, isFirst, onWorks }: FollowOptions): Promise<void> {
    const { last } = await this.#fairlead.session(this.#session);
    const { window } = this.#state;
    const held = heldRange(window.timeline);
    const isFar = held !== null && isAtHead(window) && last - held.last > maxStreamedGap;
    const after = isFar || held === null || !isAtHead(window) ? last : held.last;
    // The service sends what is being written again, to a stream that begins at the end.
    const live = last - window.head > maxStreamedGap ? noLiveTexts : window.live;
    this.#setWindow({ ...window, live, head: Math.max(window.head, last) });
    if ((target !== null || (isFar && this.#seesEnd)) && !(await this.#show(target ?? "end"))) return;
    this.#set({ isLoading: false });
    // The client repeats a stream for a minute before it reports that the service is unavailable. A page is read at once.
    if (!isFirst && last > 0) await this.#readPage({ after: last - 1, limit: 1 }, this.#signal);
    const working = setTimeout(onWorks, refusalTime);
    try {
      const signal = AbortSignal.any([this.#signal, this.#stream.signal]);
      const options = { after, follow: true, deltas: true, clip: maxStreamedText, signal };
      for await (const arrival of this.#fairlead.events(this.#session, options)) {
        onWorks();
        this.#arrivals.add(arrival);
      }
    } catch (error) {
      if (!this.#stream.signal.aborted) throw error;
    } finally {
      clearTimeout(working);
    }
  }

  async #read(request: PageRequest): Promise<void> {
    if (this.#reading.has(request.after)) return;
    this.#reading.add(request.after);
    const read = () => this.#readPage(request, this.#signal);
    const events = await this.#retries.run(`page after ${request.after}`, read, this.#signal);
    this.#reading.delete(request.after);
    if (events === null || this.#signal.aborted) return;
    const window = withPage(this.#state.window, events);
    if (window !== this.#state.window) this.#setWindow(withRecent(window, this.#recent));
  }

  #readPage(request: PageRequest, signal: AbortSignal): Promise<ReadEvent[]> {
    return readJournalPage(this.#fairlead, this.#session, request, signal);
  }

  #add(arrivals: readonly (ReadEvent | Delta)[]): void {
    if (this.#signal.aborted) return;
    const events = arrivals.filter((arrival) => "sequence" in arrival);
    this.#recent = [...this.#recent, ...events].slice(-maxRecent);
    this.#setWindow(withArrivals(this.#state.window, arrivals));
  }

  #setWindow(window: EventWindow): void {
    if (window !== this.#state.window) this.#set({ window, rows: listRows(window) });
  }

  #set(change: Partial<LiveSessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
