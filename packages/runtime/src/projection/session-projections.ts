import { setTimeout as delay } from "node:timers/promises";
import type {
  Claim,
  SessionPageOptions,
  SessionRow,
  SessionRowCount,
  SessionRowPage,
  SessionRowQuery,
} from "@fairlead/journal";
import { IndexRebuilder, type IndexRebuilderOptions } from "./index-rebuilder.ts";
import { RowWriter } from "./row-writer.ts";
import { SessionProjection } from "./session-projection.ts";
import { TrackedProjection } from "./tracked-projection.ts";

/** How often the index is compared with the journal, for sessions of processes that did not write their rows. */
const updateIntervalMs = 10_000;
const retryDelayMs = 500;
const listPageSize = 500;
/** How long a reader waits for the rows of an index that was replaced while it read. */
const rebuildWaitMs = 10_000;

export interface SessionProjectionsOptions extends Omit<IndexRebuilderOptions, "isTracked"> {
  /** Identifies this process in the journal. */
  readonly owner: string;
  /** Receives the first of several failures to read the journal into the index. The update is repeated. Must not throw. */
  readonly onUpdateFailure?: (error: unknown) => void;
}

/** The projections of all sessions. This process writes the rows of those that it drives, and repairs the others. */
export class SessionProjections implements AsyncDisposable {
  readonly #options: SessionProjectionsOptions;
  readonly #tracked = new Map<string, TrackedProjection>();
  readonly #rowWriter: RowWriter;
  readonly #rebuilder: IndexRebuilder;
  readonly #closing = new AbortController();
  /** The sessions whose rows were behind when this process opened the index, and that a process must drive. */
  readonly #unfinished = Promise.withResolvers<readonly string[]>();
  readonly #firstUpdate: Promise<void>;
  readonly #updates: Promise<void>;
  /** The newest update after which the index has all sessions. */
  #completion: Promise<void>;
  /** The replacements of the index that `#completion` covers. */
  #replacements: number;
  #lastUpdate: Promise<unknown> = Promise.resolve();

  constructor(options: SessionProjectionsOptions) {
    this.#options = options;
    this.#rowWriter = new RowWriter(options.index);
    this.#rebuilder = new IndexRebuilder({ ...options, isTracked: (session) => this.#tracked.has(session) });
    this.#unfinished.promise.catch(() => {}); // callers that await it get the error
    this.#replacements = options.index.replacements;
    this.#firstUpdate = this.#updateUntilDone();
    this.#completion = this.#firstUpdate;
    this.#updates = this.#firstUpdate.then(() => this.#updateRegularly()).catch(() => {}); // the index is closed
  }

  /** The number of sessions whose rows are missing or behind. */
  get pendingCount(): number {
    return this.#rebuilder.pendingCount;
  }

  /**
   * Resolves when the index has every session that the journal had when it was opened, or after a time. Returns whether it
   * has them. An index that was replaced is complete when it was rebuilt.
   */
  async waitUntilComplete(maxWaitMs?: number): Promise<boolean> {
    this.#rebuildIfReplaced();
    const completed = this.#completion.then(() => true);
    if (maxWaitMs === undefined) return await completed;
    const timeout = new AbortController();
    const timedOut = delay(maxWaitMs, false, { signal: timeout.signal }).catch(() => false);
    const isComplete = await Promise.race([completed, timedOut]);
    timeout.abort();
    return isComplete;
  }

  /** Starts to follow a session that this process has claimed. Pass every event that it appends to the result. */
  track(session: string, claim: Claim): TrackedProjection {
    const tracked: TrackedProjection = new TrackedProjection({
      epoch: claim.epoch,
      owner: this.#options.owner,
      load: () => this.#rebuilder.load(session, { ...claim, owner: this.#options.owner }),
      readEvents: (after) => this.#rebuilder.readEvents(session, after),
      onChange: (isUrgent) => this.#rowWriter.schedule(tracked, isUrgent),
    });
    this.#tracked.set(session, tracked);
    return tracked;
  }

  /** Stops following a session. `isSettled` if no process needs to drive it now. */
  async release(session: string, tracked: TrackedProjection, isSettled: boolean): Promise<void> {
    if (isSettled) tracked.settle();
    await this.#rowWriter.flush();
    if (this.#tracked.get(session) === tracked) this.#tracked.delete(session);
  }

  /** Returns the current projection of a session; undefined if there is none. */
  async read(session: string): Promise<SessionProjection | undefined> {
    const tracked = this.#tracked.get(session);
    await tracked?.caughtUp;
    return tracked?.projection ?? (await this.#rebuilder.read(session));
  }

  /** Reads the session again from its journal, after a change that is no event. */
  async refresh(session: string): Promise<void> {
    await this.#rebuilder.rebuild(session);
  }

  /** Records that events of a session cannot be read. Its row was written when they could. */
  async recordDamage(session: string): Promise<void> {
    if ((await this.read(session))?.summary?.problem === null)
      await this.#rebuilder.rebuild(session, { isWhole: true });
  }

  /** Resolves when the index has the changes of the sessions that this process drives, or could not take them. */
  async flush(): Promise<void> {
    await this.#rowWriter.flush();
  }

  /** Returns a page of rows. Those of sessions that this process drives are current. */
  async page(query: SessionRowQuery, options?: SessionPageOptions): Promise<SessionRowPage> {
    return await this.#readRows(() => this.#options.index.page(query, options));
  }

  /** Yields all rows of a query, by id. */
  async *list(query: SessionRowQuery): AsyncGenerator<SessionRow> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const options = { order: "session", limit: listPageSize, ...(cursor !== undefined && { cursor }) } as const;
      const page = await this.page(query, options);
      yield* page.rows;
      cursor = page.next;
    }
  }

  /** Returns the projection in a row, or a newer one if this process drives the session. */
  projectionOf(row: SessionRow): SessionProjection {
    const projection = this.#tracked.get(row.session)?.projection;
    return projection !== undefined && projection.lastSequence >= row.last
      ? projection
      : SessionProjection.fromRow(row);
  }

  /**
   * Returns the projection of a session that this process drives, which may be newer than its row. Undefined for any other
   * session, while the history is read, and after the session was forgotten.
   */
  drivenProjection(session: string): SessionProjection | undefined {
    const tracked = this.#tracked.get(session);
    return tracked?.isDiscarded === true ? undefined : tracked?.projection;
  }

  async count(query: SessionRowQuery): Promise<readonly SessionRowCount[]> {
    return await this.#readRows(() => this.#options.index.count(query));
  }

  /** Yields the sessions that a process must drive. Its cost does not depend on the number of other sessions. */
  async *listUnfinished(): AsyncGenerator<string> {
    const behind = await this.#unfinished.promise;
    for (const session of behind) if (await this.#mustBeDriven(session)) yield session;
    for await (const { session } of this.list({ unfinished: true })) {
      if (behind.includes(session)) continue;
      if (await this.#mustBeDriven(session)) yield session;
      else await this.refresh(session); // its process died before it could write that the session is paused
    }
  }

  /** Removes a session that was forgotten. */
  async forget(session: string): Promise<void> {
    // A write that is under way must not bring the row back.
    this.#tracked.get(session)?.discard();
    await this.#rowWriter.flush();
    await this.#options.index.remove(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#updates;
    await this.#rowWriter[Symbol.asyncDispose]();
  }

  async #mustBeDriven(session: string): Promise<boolean> {
    return this.#tracked.has(session) || (await this.#options.isUnfinished(session));
  }

  /** Reads rows. If the read finds a damaged index, reads again from the rebuilt one. */
  async #readRows<Result>(read: () => Promise<Result>): Promise<Result> {
    const { index } = this.#options;
    this.#rebuildIfReplaced();
    await this.#rowWriter.flush();
    const { replacements } = index;
    const result = await read();
    if (index.replacements === replacements) return result;
    await this.waitUntilComplete(rebuildWaitMs);
    return await read();
  }

  /** Rebuilds an index that was replaced by an empty one, with the rows of the sessions that this process drives. */
  #rebuildIfReplaced(): void {
    const { replacements } = this.#options.index;
    if (replacements === this.#replacements) return;
    this.#replacements = replacements;
    for (const tracked of this.#tracked.values()) this.#rowWriter.schedule(tracked, true);
    this.#completion = this.#completion.then(async () => {
      await this.#rowWriter.flush();
      await this.#updateUntilDone();
    });
    this.#completion.catch(() => {}); // callers that await it get the error
  }

  /** Updates one after another: two at once would both count the sessions that are behind. */
  #update(onUnfinished?: (sessions: readonly string[]) => void): Promise<void> {
    const update = this.#lastUpdate.then(() => this.#rebuilder.update(this.#closing.signal, onUnfinished));
    this.#lastUpdate = update.catch(() => {});
    return update;
  }

  /** Repeats an update until the storage allows it: without it, sessions could be missing without a notice. */
  async #updateUntilDone(): Promise<void> {
    const { signal } = this.#closing;
    for (let isReported = false; ; isReported = true) {
      try {
        return await this.#update((sessions) => this.#unfinished.resolve(sessions));
      } catch (error) {
        if (signal.aborted) {
          this.#unfinished.reject(error);
          throw error;
        }
        // `recover` waits for the first update, so without a report the daemon would drive no session without a notice.
        if (!isReported) this.#options.onUpdateFailure?.(error);
        await delay(retryDelayMs, undefined, { signal });
      }
    }
  }

  async #updateRegularly(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      await delay(updateIntervalMs, undefined, { signal, ref: false });
      this.#rebuildIfReplaced();
      await this.#rowWriter.flush();
      await this.#update().catch(() => {}); // the next one may succeed
      signal.throwIfAborted();
    }
  }
}
