import { setImmediate as nextTurn } from "node:timers/promises";
import { overviewEndedSessions, SessionView } from "@fairlead/api";
import type { SessionRow } from "@fairlead/journal";
import { SessionProjection, type Clock } from "@fairlead/runtime";
import { ChangeSignal } from "./change-signal.ts";
import type { OverviewSource } from "./overview-source.ts";
import { OverviewState } from "./overview-state.ts";

/** The time between two updates of the views: at most four frames a second. */
const frameIntervalMs = 250;
/** How often it looks at what changes with time and not by events. */
const lookIntervalMs = 1000;
/** How often it also looks at sessions that do not work: their owner may be gone. */
const lookAtAllIntervalMs = 5000;
const pageSize = 500;
/** How many views are built at the same time, before other work of the process gets its turn. */
const viewsPerTurn = 50;
/** The states of rows whose sessions have not ended. */
const openRowStates = ["idle", "working", "waiting", "paused", "damaged"];
/** Views of sessions in a turn. Only these become silent or stuck. */
const workingStates: readonly SessionView["state"][] = ["working", "silent", "stuck"];
const settledStates: readonly SessionView["state"][] = ["paused", "ended", "damaged"];
const unsettledStates = SessionView.shape.state.options.filter((state) => !settledStates.includes(state));

/** Keeps the state of an overview current while it is followed. */
export class OverviewRun implements AsyncDisposable {
  readonly state: OverviewState;
  /** Notifies followers of changes of the state. */
  readonly changes = new ChangeSignal();
  readonly #source: OverviewSource;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #done: Promise<void>;
  /** The sessions whose views may have changed, with the newest row if the index has sent one. */
  readonly #dirty = new Map<string, SessionRow | undefined>();
  /** The owners of sessions that this process does not drive. */
  readonly #owners = new Map<string, string>();
  /** Notifies this run that there is work. */
  readonly #work = new ChangeSignal();
  #watching = new AbortController();
  #failure: { readonly error: unknown } | undefined;
  #isLoaded = false;
  /** Identifies the ended sessions that were read: their number and the newest of them. */
  #endedRead = "";
  #lookedAt = 0;
  #lookedAtAllAt = 0;
  #replacements: number;
  #isAskingForOwners = false;

  constructor(id: string, source: OverviewSource, clock: Clock) {
    this.state = new OverviewState(id);
    this.#source = source;
    this.#clock = clock;
    this.#replacements = source.index.replacements;
    this.#done = this.#run();
  }

  /** Whether the state has been read. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get isEnded(): boolean {
    return this.#ended.signal.aborted;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  touch(session: string): void {
    if (!this.#dirty.has(session)) this.#dirty.set(session, undefined);
    this.#work.notify();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await this.#done;
  }

  /** Never rejects: followers get the failure. */
  async #run(): Promise<void> {
    let watching = this.#watch();
    try {
      await this.#load();
      while (!this.isEnded) {
        await this.#keepCurrent();
        this.#watching.abort();
        await watching;
        if (this.isEnded) return;
        // The index was damaged and is being rebuilt. Until then, its sessions would look forgotten.
        await this.#source.waitUntilComplete();
        this.#endedRead = "";
        for (const { session } of this.state.views) this.touch(session);
        this.#watching = new AbortController();
        watching = this.#watch();
      }
    } catch (error) {
      this.#fail(error);
    }
    await watching;
  }

  async #load(): Promise<void> {
    void this.#source.waitUntilComplete().then(
      () => void this.#onComplete().catch((error: unknown) => this.#fail(error)),
      () => {}, // the index is closed
    );
    for (let cursor: string | null | undefined; cursor !== null && !this.isEnded;) {
      const options = { order: "session", limit: pageSize, ...(cursor !== undefined && { cursor }) } as const;
      const page = await this.#source.index.page({ states: openRowStates }, options);
      for (const row of page.rows) this.#receive(row.session, row);
      cursor = page.next;
      await this.#update();
    }
    await this.#readEnded();
    await this.#update();
    await this.#readRunDecisions();
    this.#isLoaded = true;
    this.changes.notify();
  }

  /** The state was read from an index that lacked sessions. The watch adds the open ones. */
  async #onComplete(): Promise<void> {
    await this.#readEnded();
    this.state.isComplete = true;
    this.#work.notify();
    this.changes.notify();
  }

  /** Returns when the index was replaced. */
  async #keepCurrent(): Promise<void> {
    const { signal } = this.#ended;
    const pause = new ChangeSignal(); // nothing shortens it
    while (!signal.aborted) {
      if (this.#dirty.size === 0) await this.#work.waitAtMost(lookIntervalMs, this.#clock, signal);
      const { replacements } = this.#source.index;
      if (replacements !== this.#replacements) {
        this.#replacements = replacements;
        return;
      }
      const { number } = this.state;
      await this.#look();
      await this.#update();
      if (this.state.number !== number) this.changes.notify();
      await pause.waitAtMost(frameIntervalMs, this.#clock, signal);
    }
  }

  /** Finds what has changed without an event or a row. */
  async #look(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#lookedAt < lookIntervalMs) return;
    this.#lookedAt = now;
    const looksAtAll = now - this.#lookedAtAllAt >= lookAtAllIntervalMs;
    if (looksAtAll) this.#lookedAtAllAt = now;
    const elsewhere: SessionView[] = [];
    for (const view of this.state.viewsIn(looksAtAll ? unsettledStates : workingStates)) {
      if (this.#source.driven(view.session) !== undefined) this.touch(view.session);
      else elsewhere.push(view);
    }
    // Not awaited, because a fleet asks its servers. A server that does not answer must not delay the views of other sessions.
    if (looksAtAll && !this.#isAskingForOwners) void this.#touchLost(elsewhere);
    await this.#readEnded();
    await this.#readRunDecisions();
  }

  /** Finds sessions whose owner has ended or is there again. Asks at once, so that a fleet asks once for each owner. Never rejects. */
  async #touchLost(views: readonly SessionView[]): Promise<void> {
    const look = async ({ session, state }: SessionView): Promise<void> => {
      const isLost = await this.#source.isLost(session, this.#owners.get(session) ?? "");
      if (isLost !== (state === "lost") && !this.isEnded) this.touch(session);
    };
    this.#isAskingForOwners = true;
    try {
      await Promise.all(views.map(look));
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isAskingForOwners = false;
    }
  }

  /**
   * Reads the newest ended sessions if their number or the newest of them has changed. The number alone is the same after one
   * has ended and another one is forgotten, which other processes also do.
   */
  async #readEnded(): Promise<void> {
    const { index } = this.#source;
    const counts = await index.count({ states: ["ended"] });
    const endedCount = counts.reduce((sum, { count }) => sum + count, 0);
    const [newest] = (await index.page({ states: ["ended"] }, { limit: 1 })).rows;
    const found = JSON.stringify([endedCount, newest?.session, newest?.last]);
    if (found === this.#endedRead) return;
    this.#endedRead = found;
    this.state.endedCount = endedCount;
    const { rows } = await index.page({ states: ["ended"] }, { limit: overviewEndedSessions });
    for (const row of rows) if (this.state.get(row.session)?.last !== row.last) this.#receive(row.session, row);
    const ended = new Set(rows.map(({ session }) => session));
    for (const { session } of this.state.viewsIn(["ended"])) if (!ended.has(session)) this.touch(session);
  }

  async #readRunDecisions(): Promise<void> {
    const open = Map.groupBy(await this.#source.runDecisions(), ({ session }) => session);
    for (const [run, decisions] of open) this.state.putDecisions(run, decisions);
    // Sessions are in the state as well.
    for (const run of this.state.asking)
      if (!open.has(run) && this.state.get(run) === undefined) this.state.putDecisions(run, []);
  }

  async #watch(): Promise<void> {
    const signal = AbortSignal.any([this.#ended.signal, this.#watching.signal]);
    try {
      const changes = this.#source.index.watch({ states: openRowStates }, signal);
      for await (const { session, row } of changes) this.#receive(session, row ?? undefined);
    } catch (error) {
      this.#fail(error);
    }
  }

  #receive(session: string, row: SessionRow | undefined): void {
    this.#dirty.set(session, row);
    this.#work.notify();
  }

  /** Builds the views that may have changed. */
  async #update(): Promise<void> {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    for (let index = 0; index < dirty.length && !this.isEnded; index += viewsPerTurn) {
      if (index > 0) await nextTurn();
      const batch = dirty.slice(index, index + viewsPerTurn);
      await Promise.all(batch.map(([session, row]) => this.#refresh(session, row)));
    }
    this.state.trim();
  }

  async #refresh(session: string, row: SessionRow | undefined): Promise<void> {
    const before = this.state.get(session);
    const driven = this.#source.driven(session);
    // A row may be older than the view if this process drove the session until now.
    const isRowUsable = row !== undefined && row.last >= (before?.last ?? 0);
    const current = driven !== undefined ? undefined : isRowUsable ? row : await this.#source.index.get(session);
    const projection = driven ?? (current && SessionProjection.fromRow(current));
    const view = projection && (await this.#source.view(projection, current?.owner));
    if (view === undefined) {
      this.#owners.delete(session);
      return this.state.remove(session);
    }
    if (current === undefined) this.#owners.delete(session);
    else this.#owners.set(session, current.owner);
    const isSame = before?.last === view.last && JSON.stringify(before) === JSON.stringify(view);
    if (!isSame) this.state.put(view);
    // One that ends while another ended one is forgotten, or that is forgotten at once, leaves the number as it was.
    if (view.state === "ended" && before?.state !== "ended") this.#endedRead = "";
    const isWaiting = projection?.summary?.state === "waiting";
    this.state.putDecisions(session, isWaiting ? projection.openDecisions : []);
  }

  #fail(error: unknown): void {
    if (!this.isEnded) this.#failure ??= { error };
    this.#ended.abort();
    this.changes.notify();
  }
}
