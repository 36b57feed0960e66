import { FairleadError, type Event } from "@fairlead/contract";
import type { EventLog, LogTail, SessionIndex, SessionRow } from "@fairlead/journal";
import { decodeEvents } from "../actor/stored-events.ts";
import type { SessionSummary } from "../sessions/session-summary.ts";
import { SessionProjection } from "./session-projection.ts";

export interface IndexRebuilderOptions {
  readonly index: SessionIndex;
  readonly journal: EventLog;
  /** Whether a process must drive a session. Reads its newest events, and the spool of a paused session. */
  readonly isUnfinished: (session: string) => Promise<boolean>;
  /** Summarizes a session whose journal cannot be read. `known` is its last summary that could be read. */
  readonly summarizeDamaged: (
    session: string,
    error: unknown,
    known: SessionSummary | undefined,
  ) => Promise<SessionSummary>;
  /** Returns the damage of a session that the journal does not have, if its folder shows that the journal had it. */
  readonly findLoss?: (session: string) => FairleadError | undefined;
  /** Receives the error if the journal has lost sessions that the index has. Called once per loss. Must not throw. */
  readonly onJournalLoss?: (error: FairleadError) => void;
  /** Whether this process drives the session, and therefore writes its row. */
  readonly isTracked: (session: string) => boolean;
}

/** How many ends of sessions are compared with their rows at the same time. */
const concurrency = 32;

/** The end of a session's journal, and the error if it cannot be read. */
type ReadableTail = Pick<LogTail, "epoch" | "last" | "owner"> & { readonly damage?: unknown };

/**
 * Rebuilds rows of the index that are missing or behind the journal: after a crash, after a loss of the index, or for a
 * process that writes no rows. It reads only the events after a row, and never the sessions whose rows are current.
 */
export class IndexRebuilder {
  readonly #options: IndexRebuilderOptions;
  #pendingCount = 0;

  constructor(options: IndexRebuilderOptions) {
    this.#options = options;
  }

  /** The number of sessions whose rows are missing or behind. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  /**
   * Rebuilds the rows of all sessions that changed since the index was complete. Calls `onUnfinished` with the sessions
   * among them that a process must drive, before it reads their events. Those come first, the others by activity.
   */
  async update(signal: AbortSignal, onUnfinished: (sessions: readonly string[]) => void = () => {}): Promise<void> {
    const { index, journal, isTracked, isUnfinished } = this.#options;
    const { sessions, hasAll, position } = await journal.changes(await index.readPosition());
    if (hasAll) await this.#repairLost(new Set(sessions), signal);
    const unfinished: string[] = [];
    const others: string[] = [];
    let isComplete = true;
    for await (const session of this.#listBehind(sessions, signal)) {
      // The row of a session that this process drives follows with its next write.
      if (isTracked(session)) isComplete = false;
      else ((await isUnfinished(session)) ? unfinished : others).push(session);
      this.#pendingCount = unfinished.length + others.length;
    }
    onUnfinished(unfinished);
    for (const session of [...unfinished, ...others]) {
      signal.throwIfAborted();
      await this.rebuild(session);
      this.#pendingCount -= 1;
    }
    if (isComplete) await index.writePosition(position);
  }

  /** Repairs the rows of sessions that the journal does not have, because it was lost or replaced by an older one. */
  async #repairLost(logged: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { index, isTracked, onJournalLoss } = this.#options;
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await index.page({}, { order: "session", ...(cursor !== undefined && { cursor }) });
      for (const row of page.rows) {
        const { session } = row;
        signal.throwIfAborted();
        if (logged.has(session) || isTracked(session)) continue;
        if ((await this.#readTail(session)).epoch > 0) continue; // it was claimed since the list was read
        await this.rebuild(session);
        if (SessionProjection.fromRow(row).summary?.problem === null) count += 1; // others are known to be lost
      }
      cursor = page.next;
    }
    if (count === 0) return;
    const lost = `${count} ${count === 1 ? "session" : "sessions"}`;
    const reason = "It was removed, or replaced by an older one. Those that still have a folder are listed as damaged.";
    onJournalLoss?.(new FairleadError("corrupt", `The journal has lost ${lost}. ${reason}`));
  }

  /** Returns the projection of a session from its row, if that is current, or from the journal; undefined if unknown. */
  async read(session: string): Promise<SessionProjection | undefined> {
    const row = await this.#options.index.get(session);
    const tail = await this.#readTail(session);
    if (row !== undefined && isCurrent(row, tail)) return SessionProjection.fromRow(row);
    return await this.rebuild(session);
  }

  /**
   * Folds the events of a session that the row does not have, and writes the row. `isWhole` folds all events, to find
   * damage in those that the row has. Returns undefined if the session has no events.
   */
  async rebuild(session: string, { isWhole = false } = {}): Promise<SessionProjection | undefined> {
    const { index, isTracked, isUnfinished } = this.#options;
    const tail = await this.#readTail(session);
    if (tail.last === 0 && tail.damage === undefined) {
      await index.remove(session); // it was forgotten
      return undefined;
    }
    const projection = await this.#fold(session, tail, isWhole);
    const { epoch, owner } = tail;
    const row = projection.toRow({ epoch, owner, unfinished: await isUnfinished(session) });
    if (row === undefined || isTracked(session)) return projection;
    const isDamaged = projection.summary?.problem !== null;
    await index.put(isDamaged ? await this.#replaceRow(row, tail) : row);
    if ((await this.#readTail(session)).epoch === 0 && tail.damage === undefined) await index.remove(session);
    return projection;
  }

  /** Gives a row that has fewer events than the one before the position of that one, so that the index accepts it. */
  async #replaceRow(row: SessionRow, tail: ReadableTail): Promise<SessionRow> {
    const { epoch = 0, last = 0 } = (await this.#options.index.get(row.session)) ?? {};
    return { ...row, epoch: Math.max(epoch, tail.epoch), last: Math.max(last, tail.last, row.last) };
  }

  /** Loads the row of a session as a projection that can be continued. Returns an empty one if there is no usable row. */
  async load(session: string, tail: ReadableTail): Promise<SessionProjection> {
    const row = await this.#options.index.get(session);
    const isUsable = row !== undefined && row.state !== "damaged" && row.last <= tail.last && row.epoch <= tail.epoch;
    return isUsable ? SessionProjection.fromRow(row) : new SessionProjection();
  }

  readEvents(session: string, after: number): AsyncIterable<Event> {
    return decodeEvents(this.#options.journal.read(session, after));
  }

  async #fold(session: string, tail: ReadableTail, isWhole: boolean): Promise<SessionProjection> {
    const projection = isWhole ? new SessionProjection() : await this.load(session, tail);
    try {
      if (tail.damage !== undefined) throw tail.damage;
      for await (const event of this.readEvents(session, projection.lastSequence)) projection.add(event);
      return projection;
    } catch (error) {
      // The storage may be readable again later. Any other error is a property of the session.
      if (FairleadError.is(error, "unavailable")) throw error;
      const { summary: known, usage } = await this.#newestKnown(session, projection);
      const summary = await this.#options.summarizeDamaged(session, error, known);
      return new SessionProjection({ summary, usage });
    }
  }

  /**
   * Returns what is known of a session whose journal is damaged: the events before the damage, or its row, which was
   * written when more of them could be read. Without the row, the session would lose the name by which people stop it.
   */
  async #newestKnown(session: string, readable: SessionProjection): Promise<SessionProjection> {
    const row = await this.#options.index.get(session);
    const stored = row && SessionProjection.fromRow(row);
    return stored !== undefined && stored.lastSequence >= readable.lastSequence ? stored : readable;
  }

  /** Yields the sessions that are behind, in their order. Several ends are read at a time: they may be on other machines. */
  async *#listBehind(sessions: readonly string[], signal: AbortSignal): AsyncGenerator<string> {
    for (let first = 0; first < sessions.length; first += concurrency) {
      signal.throwIfAborted();
      const part = sessions.slice(first, first + concurrency);
      const isBehind = await Promise.all(part.map((session) => this.#isBehind(session)));
      yield* part.filter((_, index) => isBehind[index]);
    }
  }

  async #isBehind(session: string): Promise<boolean> {
    const row = await this.#options.index.get(session);
    const tail = await this.#readTail(session);
    if (row === undefined) return tail.last > 0 || tail.damage !== undefined;
    if (isAhead(row, tail)) {
      // The journal was replaced, for example by a backup. A row of its own could not replace this one.
      await this.#options.index.remove(session);
      return true;
    }
    return !isCurrent(row, tail);
  }

  async #readTail(session: string): Promise<ReadableTail> {
    try {
      const tail = await this.#options.journal.tail(session);
      const damage = tail.epoch === 0 ? this.#options.findLoss?.(session) : undefined;
      return damage === undefined ? tail : { ...tail, damage };
    } catch (damage) {
      if (FairleadError.is(damage, "unavailable")) throw damage;
      return { epoch: 0, last: 0, owner: "", damage };
    }
  }
}

function isCurrent(row: SessionRow, { epoch, last, damage }: ReadableTail): boolean {
  if (damage !== undefined || row.state === "damaged") return false;
  return row.last === last && row.epoch === epoch;
}

function isAhead(row: SessionRow, { epoch, last, damage }: ReadableTail): boolean {
  return damage === undefined && (row.epoch > epoch || (row.epoch === epoch && row.last > last));
}
