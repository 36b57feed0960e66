/** Runs the tasks of a session one after the other, and those of different sessions at the same time. */
export class SessionQueue {
  readonly #newest = new Map<string, Promise<unknown>>();

  async run<Result>(session: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#newest.get(session);
    // The first task starts at once, because a turn of the event loop per append would be felt by single writers.
    const running = before === undefined ? task() : before.then(task, task);
    this.#newest.set(session, running);
    try {
      return await running;
    } finally {
      if (this.#newest.get(session) === running) this.#newest.delete(session);
    }
  }

  /** Resolves when all tasks have ended. */
  async whenIdle(): Promise<void> {
    while (this.#newest.size > 0) await Promise.allSettled(this.#newest.values());
  }
}
