/** Some events of one session, written together or not at all. */
export interface Frame {
  readonly session: string;
  /** Which owner of the session wrote it: the number of claims until then. It never goes back. */
  readonly epoch: number;
  /** The number of the first event; the others follow it without a gap. */
  readonly first: number;
  /** Opaque here: only those who write and read them know what they mean. Without events, the frame is a claim. */
  readonly events: readonly Uint8Array[];
  /** Who wrote it, for people and for finding the owner. The log decides by fence and epoch alone. */
  readonly owner: string;
}

/** Stands for the newest frame of a session. Opaque: compare it and hand it back, but do not compute with it. */
export type Fence = bigint;

/** Where a session's log ends. */
export interface Tail {
  /** The epoch of the newest frame; 0 when nobody has claimed the session yet. */
  readonly epoch: number;
  /** The number of the newest event; 0 when there is none. */
  readonly last: number;
  /** What the next append must carry; 0n when nobody has claimed the session yet. */
  readonly fence: Fence;
  /** Who wrote the newest frame; empty when nobody has claimed the session yet. */
  readonly owner: string;
}

export interface ReadOptions {
  /** At most this many events; the last frame is cut to fit. */
  readonly limit?: number;
  /** Aborting makes the reading throw the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A session whose log has at least a claim. */
export interface LoggedSession {
  readonly session: string;
  readonly tail: Tail;
}

/**
 * Every session's events, in order, durable. What cannot be reached throws `unavailable`, as does a log that was
 * disposed of; what was written and cannot be read back throws `corrupt`.
 */
export interface EventLog extends AsyncDisposable {
  /** The end of the log as it is now, never an older one from a replica. */
  tail(session: string): Promise<Tail>;

  /**
   * Writes the frame after the tail and gives the fence for the next one; durable when it resolves. It throws
   * `fenced`, and writes nothing, unless the frame follows the tail (see `mustFollow`). Lost answers are cleared up
   * inside: after `unavailable`, only the tail tells whether the frame was written.
   */
  append(frame: Frame, fence: Fence): Promise<Fence>;

  /** The events numbered `after + 1` and on, as far as they go now; frames are cut to begin there. No claims. */
  read(session: string, after: number, options?: ReadOptions): AsyncIterable<Frame>;

  /**
   * Like `read`, and then what is appended from now on by anybody anywhere, each event once. It ends quietly when the
   * signal aborts, and for no other reason.
   */
  watch(session: string, after: number, signal: AbortSignal): AsyncIterable<Frame>;

  /**
   * Removes everything of a session, as if nobody had ever claimed it; durable when it resolves. It throws `fenced`, and
   * removes nothing, unless the fence is the tail's. No fence from before is ever good again, even if the session is
   * claimed anew. Who reads it just then comes to an end early.
   */
  forget(session: string, fence: Fence): Promise<void>;

  /** All sessions that were ever claimed and not forgotten, the newest activity first. */
  sessions(): AsyncIterable<LoggedSession>;
}
