/** Measures how long operations of sessions take. */
export class DurationTracker {
  readonly #startTimes = new Map<string, Map<string, string>>();

  start(session: string, name: string, at: string): void {
    const startTimes = this.#startTimes.get(session) ?? new Map<string, string>();
    this.#startTimes.set(session, startTimes.set(name, at));
  }

  /** Returns the duration in seconds; undefined if the operation began in another process. */
  stop(session: string, name: string, at: string): number | undefined {
    const startTimes = this.#startTimes.get(session);
    const since = startTimes?.get(name);
    startTimes?.delete(name);
    if (startTimes?.size === 0) this.#startTimes.delete(session);
    // The clock may have been set back since.
    return since === undefined ? undefined : Math.max(0, (Date.parse(at) - Date.parse(since)) / 1000);
  }

  /** Drops the open operations of a session that has ended. */
  forget(session: string): void {
    this.#startTimes.delete(session);
  }
}
