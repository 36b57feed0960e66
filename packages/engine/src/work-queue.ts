/** A piece of work that any host of a pool may do, for example the start of a session. */
export interface Job {
  readonly kind: string;
  /** Any value that JSON can represent. Neither side may change it after `put`. */
  readonly params: unknown;
}

/** A job that one taker has. Disposing it without `done` returns the job to the queue, unless another taker has it now. */
export interface Ticket extends AsyncDisposable {
  readonly job: Job;
  readonly key: string;
  /** The number of times that the job was taken, with this one. A job with a high number may have ended its takers. */
  readonly attempt: number;
  /** Milliseconds for which the taker has the job, from now and from each `extend`. Later another taker may get it. */
  readonly lease: number;
  /** Says that the taker still works on the job. Throws `conflict` if another taker has it now, or the job has ended. */
  extend(): Promise<void>;
  /**
   * Ends the job with a value that JSON can represent. The outcome is stored when the promise resolves. Throws `conflict` if
   * another taker has the job now, or the job has ended.
   */
  done(outcome: unknown): Promise<void>;
}

/**
 * Distributes jobs over the hosts of a pool. A host pulls work while it has room; nothing assigns work to a host. A job may be
 * begun more than once, because a taker can end between its work and `done`: it must be harmless to repeat. Any text may
 * name a pool or be a key. On a closed engine, all methods throw `unavailable`, and so do calls and iterations under way.
 */
export interface WorkQueue {
  /**
   * Puts a job into a pool, and returns its outcome once a taker has ended it. A key identifies a job in all pools: all
   * callers with the key get the outcome of the job that was put first, also for at least a week after it has ended. When
   * the signal aborts, the call throws the signal's reason and the job stays in the queue.
   *
   * A job outlives the process that put it where several processes use the engine.
   */
  put(pool: string, job: Job, key: string, signal: AbortSignal): Promise<unknown>;

  /**
   * Yields one job at a time to one taker, the oldest first. A job is taken only when the taker asks for the next one, so
   * that other takers get the rest. Asking for the next one does not end the one before, nor does the end of the iteration. A
   * job that was returned, or whose lease has expired, is yielded again, to any taker. The iteration returns only when the
   * signal aborts.
   */
  take(pool: string, signal: AbortSignal): AsyncIterable<Ticket>;

  /** Returns the number of jobs of all pools that have not ended. Absent where the engine cannot count them. */
  countOpen?(): Promise<number>;
}
