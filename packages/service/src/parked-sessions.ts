import type { SessionView } from "@fairlead/api";
import { startTimer, type Event } from "@fairlead/contract";

export interface ParkedSessionsOptions {
  /** Lists the sessions that are paused until a time. */
  readonly list: () => AsyncIterable<{ readonly session: string; readonly until: string }>;
  /** Continues a session, unless it is no longer paused until this time. */
  readonly wake: (session: string, until: string) => Promise<void>;
}

/** Milliseconds after the announced reset, because the clocks of the machine and of the vendor differ. */
const margin = 2000;
const firstRetryDelay = 30_000;
const maxRetryDelay = 3_600_000;

/** Continues the sessions that wait for the reset of a quota. Those of an earlier process, too. */
export class ParkedSessions implements Disposable {
  readonly #options: ParkedSessionsOptions;
  readonly #timers = new Map<string, Disposable>();
  #isClosed = false;

  constructor(options: ParkedSessionsOptions) {
    this.#options = options;
  }

  /** Schedules what earlier processes have left. */
  async restore(): Promise<void> {
    for await (const { session, until } of this.#options.list()) this.#schedule(session, until);
  }

  /** Schedules a session that came from another host. Never rejects: a later process restores what cannot be read now. */
  async onArrival(arrived: Promise<Pick<SessionView, "session" | "pausedUntil">>): Promise<void> {
    const { session, pausedUntil } = await arrived.catch(() => ({ session: "", pausedUntil: null }));
    if (pausedUntil !== null) this.#schedule(session, pausedUntil);
  }

  /** Follows the events of all sessions. */
  onEvent({ session, body }: Pick<Event, "session" | "body">): void {
    if (body.type === "session.paused" && body.until !== undefined) this.#schedule(session, body.until);
    if (body.type === "session.unpaused" || body.type === "session.ended") this.#clear(session);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const session of this.#timers.keys()) this.#clear(session);
  }

  #schedule(session: string, until: string, at = Date.parse(until) + margin, retryDelay = firstRetryDelay): void {
    this.#clear(session);
    if (this.#isClosed) return;
    const wake = (): void => {
      this.#clear(session);
      // It may fail for a while: the disk is full, or the keeper of the pause still exits. Or until a person acts: the
      // workspace is gone.
      this.#options.wake(session, until).catch(() => {
        this.#schedule(session, until, Date.now() + retryDelay, Math.min(2 * retryDelay, maxRetryDelay));
      });
    };
    this.#timers.set(session, startTimer(Math.max(0, at - Date.now()), wake, { background: true }));
  }

  #clear(session: string): void {
    this.#timers.get(session)?.[Symbol.dispose]();
    this.#timers.delete(session);
  }
}
