import type { Session } from "@fairlead/runtime";

/** The sessions that a host drives and those that it starts, against the number that it may have. */
export class DrivenSessions {
  readonly #max: number;
  readonly #services = new Map<Session, Promise<void>>();
  /** The sessions that are being started. */
  readonly #starting = new Set<string>();
  #reservationCount = 0;
  #change = Promise.withResolvers<void>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return new Set([...this.#starting, ...this.ids]).size;
  }

  /**
   * The ids of the sessions that the host drives and that have not ended. One that ended while no process drove it stays attached
   * after a recovery, so that commands which are repeated find their outcome.
   */
  get ids(): readonly string[] {
    const open = [...this.#services.keys()].filter(({ state }) => !state.ledger.over);
    return [...new Set(open.map(({ id }) => id))];
  }

  /** How many sessions this process has begun to start or to take over. */
  get reservationCount(): number {
    return this.#reservationCount;
  }

  /** Whether the host starts a session or is attached to it. */
  has(session: string): boolean {
    return this.#starting.has(session) || [...this.#services.keys()].some(({ id }) => id === session);
  }

  add(session: Session, service: Promise<void>): void {
    this.#services.set(session, service);
    void session.finished.then(() => {
      this.#services.delete(session);
      this.#notify();
    });
  }

  /** Counts a session that is being started until the result is disposed. */
  readonly reserve = (session: string): Disposable => {
    this.#starting.add(session);
    this.#reservationCount += 1;
    return {
      [Symbol.dispose]: () => {
        this.#starting.delete(session);
        this.#notify();
      },
    };
  };

  readonly waitForRoom = async (signal: AbortSignal): Promise<void> => {
    const aborted = Promise.withResolvers<void>();
    const onAbort = (): void => aborted.resolve();
    signal.addEventListener("abort", onAbort);
    while (this.count >= this.#max && !signal.aborted) await Promise.race([this.#change.promise, aborted.promise]);
    signal.removeEventListener("abort", onAbort);
  };

  async settled(): Promise<void> {
    await Promise.all(this.#services.values());
  }

  #notify(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
