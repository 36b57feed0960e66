import type { FairleadError } from "@fairlead/contract";

/** Events of one session that the log writes atomically. A batch without events and without notes is a claim. */
export interface EventBatch {
  readonly session: string;
  /** The number of claims of this session so far, which identifies the owner that wrote the batch. It never decreases. */
  readonly epoch: number;
  /** The sequence of the first event. The others follow without a gap. */
  readonly first: number;
  /** Opaque bytes: the log does not interpret them. Empty for a claim. */
  readonly events: readonly Uint8Array[];
  /**
   * Opaque bytes for the next owner, in a log that carries them: commands, and what is needed to start the session again.
   * A batch with notes and without events is no claim: it has the owner's epoch. `read` and `watch` leave notes out.
   */
  readonly notes?: readonly Uint8Array[];
  /** The writer, for diagnostics and to find the owner's process. The log itself compares only fence and epoch. */
  readonly owner: string;
}

/** Identifies the newest batch of a session. Opaque: compare it or pass it back, but do not compute with it. */
export type Fence = bigint;

/** The end of a session's log. */
export interface LogTail {
  /** The epoch of the newest batch; 0 for an unclaimed session. */
  readonly epoch: number;
  /** The sequence of the newest event; 0 when there is none. */
  readonly last: number;
  /** The fence that the next append must pass; 0n for an unclaimed session. */
  readonly fence: Fence;
  /** The writer of the newest batch; empty for an unclaimed session. */
  readonly owner: string;
}

export interface LogReadOptions {
  /** The maximum number of events. The last batch is sliced to fit. */
  readonly limit?: number;
  /** When it aborts, the read throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A point in the history of all sessions. Opaque: store it, or pass it back. */
export type LogPosition = string;

/** The sessions that changed since a position. */
export interface LogChanges {
  /** The newest activity first. */
  readonly sessions: readonly string[];
  /**
   * Whether the list has all sessions of the log: it has not reached the position, or there was no position, or the log was
   * empty at it.
   */
  readonly hasAll: boolean;
  /** The position up to which the list is complete. */
  readonly position: LogPosition;
}

/** A session whose log has at least one claim. */
export interface LoggedSession {
  readonly session: string;
  /** The end of its log; the tail of an unclaimed session if the end cannot be read. */
  readonly tail: LogTail;
  /** The `corrupt` error, if the end of its log cannot be read. Such a session can be neither claimed nor appended to. */
  readonly damage?: FairleadError;
}

/**
 * A durable, ordered log of every session's events. Methods throw `unavailable` when the storage cannot be reached or
 * the log was disposed, and `corrupt` when stored data cannot be read back.
 */
export interface EventLog extends AsyncDisposable {
  /** Whether batches may have notes. If not, `append` throws `invalid-request` for them, and `notes` yields nothing. */
  readonly carriesNotes: boolean;

  /** Returns the current end of the log, never an older one from a replica. */
  tail(session: string): Promise<LogTail>;

  /**
   * Appends a batch and returns the fence for the next one. The batch is durable when the promise resolves. Throws
   * `fenced` and writes nothing unless the batch follows the tail (see `assertFollowsTail`). After `unavailable`, the
   * caller must read the tail to learn whether the batch was written.
   */
  append(batch: EventBatch, fence: Fence): Promise<Fence>;

  /** Reads the existing events from sequence `after + 1`. The first batch is sliced to start there. Omits claims. */
  read(session: string, after: number, options?: LogReadOptions): AsyncIterable<EventBatch>;

  /**
   * Reads the notes of a session, in the order in which they were appended: all, or at least those that were appended after
   * an event. Its cost depends on the part that is read.
   */
  notes(session: string, after?: number): AsyncIterable<Uint8Array>;

  /**
   * Reads like `read`, then yields each event once as any process appends it. The iteration returns only when the signal
   * aborts.
   */
  watch(session: string, after: number, signal: AbortSignal): AsyncIterable<EventBatch>;

  /**
   * Removes all batches of a session, as if it had never been claimed. When the promise resolves, the removal is durable,
   * and no file has the events. An engine on other machines documents what remains in their files. Forgetting an unclaimed session repeats only the last step, after an interrupted removal.
   * Throws `fenced` and removes nothing unless the fence is the tail's. Earlier fences stay invalid, even if the session
   * is claimed again. A concurrent read of the session ends early. A session whose end cannot be read has no fence: pass
   * `damaged`, which throws `fenced` and removes nothing if the end can be read.
   */
  forget(session: string, fence: Fence | "damaged"): Promise<void>;

  /** Lists all sessions that were claimed and not forgotten, newest activity first. Damage of one does not hide others. */
  sessions(): AsyncIterable<LoggedSession>;

  /**
   * Lists the sessions that have batches after a position and were not forgotten; all sessions for null, or for a position
   * that this log has not reached. It reads no batches, so that it lists damaged sessions too.
   */
  changes(after: LogPosition | null): Promise<LogChanges>;
}

/** Returns the part of a batch after a sequence, with at most `limit` events. */
export function sliceBatch(batch: EventBatch, after: number, limit = Infinity): EventBatch {
  const skipCount = Math.max(0, after + 1 - batch.first);
  if (skipCount === 0 && batch.events.length <= limit) return batch;
  return { ...batch, first: batch.first + skipCount, events: batch.events.slice(skipCount, skipCount + limit) };
}

/** Whether a batch makes its writer the owner. */
export function isClaim(batch: EventBatch): boolean {
  return batch.events.length === 0 && (batch.notes?.length ?? 0) === 0;
}

/** Returns the sequence of a batch's last event. */
export function lastSequenceOf(batch: EventBatch): number {
  return batch.first + batch.events.length - 1;
}
