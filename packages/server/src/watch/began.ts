/** When things began that have not ended yet, by session. */
export class Began {
  readonly #sessions = new Map<string, Map<string, string>>();

  begin(session: string, name: string, at: string): void {
    const open = this.#sessions.get(session) ?? new Map<string, string>();
    this.#sessions.set(session, open.set(name, at));
  }

  /** How many seconds it took; undefined of what another process saw begin. */
  end(session: string, name: string, at: string): number | undefined {
    const open = this.#sessions.get(session);
    const since = open?.get(name);
    open?.delete(name);
    if (open?.size === 0) this.#sessions.delete(session);
    // A clock may be set back in between.
    return since === undefined ? undefined : Math.max(0, (Date.parse(at) - Date.parse(since)) / 1000);
  }

  /** The session is over, and with it all that was open. */
  forget(session: string): void {
    this.#sessions.delete(session);
  }
}
