interface SharedTask<Result> {
  readonly result: Promise<Result>;
  readonly abandoned: AbortController;
  callers: number;
}

/** Tasks that are executed once at a time per key, however many callers ask for them. */
export class SharedTasks<Result> {
  readonly #tasks = new Map<string, SharedTask<Result>>();

  /**
   * Starts a task, or joins the one of this key that runs. A caller whose signal aborts stops to wait, and the task continues
   * for the others. The last caller aborts the task, and waits until it has ended.
   */
  async run(key: string, start: (signal: AbortSignal) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    let task = this.#tasks.get(key);
    while (task?.abandoned.signal.aborted === true) {
      await task.result.catch(() => {});
      signal.throwIfAborted();
      task = this.#tasks.get(key);
    }
    task ??= this.#start(key, start);
    task.callers += 1;
    const aborted = Promise.withResolvers<void>();
    const onAbort = (): void => aborted.resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    // The task may have begun with what aborts it.
    if (signal.aborted) onAbort();
    await Promise.race([task.result.catch(() => {}), aborted.promise]);
    signal.removeEventListener("abort", onAbort);
    task.callers -= 1;
    if (signal.aborted && task.callers > 0) throw signal.reason;
    if (signal.aborted) task.abandoned.abort(signal.reason);
    return await task.result;
  }

  /** Whether a task of this key runs. */
  has(key: string): boolean {
    return this.#tasks.has(key);
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<Result>): SharedTask<Result> {
    const abandoned = new AbortController();
    const result = start(abandoned.signal).finally(() => this.#tasks.delete(key));
    result.catch(() => {}); // callers that still wait get the error
    const task = { result, abandoned, callers: 0 };
    this.#tasks.set(key, task);
    return task;
  }
}
