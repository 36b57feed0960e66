import { FairleadError, type ErrorCode } from "@fairlead/contract";
import { KeeperGone, KeeperUnresponsive, SpoolDamaged } from "@fairlead/keeper";
import { ForcedEnds } from "./forced-ends.ts";
import { forEachConcurrently } from "./for-each-concurrently.ts";
import { isSpoolDamage, keeperUnavailable, toAttachError } from "./attach-error.ts";
import { isOwnerAlive } from "./owner.ts";
import { realClock, sleep, type Clock } from "../actor/clock.ts";
import { commandRejected } from "../actor/command-rejected.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "./session.ts";
import { SessionFailures, type SessionFailure } from "./session-failures.ts";

/** Number of sessions that are attached at the same time. Attaching mostly waits for sockets and disks. */
const maxConcurrentAttaches = 16;
/** Milliseconds after which the next session is attached too, so that keepers that do not respond delay no others. */
const slowAttachDelay = 500;

/** The result of attaching to the sessions that a process left running. */
export interface RecoveryReport {
  readonly sessions: number;
  readonly failures: readonly { readonly session: string; readonly error: unknown }[];
}

export interface SessionsOptions {
  /** Receives each failure to drive a session. Must not throw. */
  readonly onFailure?: (failure: SessionFailure) => void;
  /** Receives the id of a session that is driven again after a failure. Must not throw. */
  readonly onRecovered?: (session: string) => void;
  readonly clock?: Clock;
}

/**
 * The sessions that this process drives, each attached once. A session that ends, or that another process takes over, is
 * removed; the next `get` attaches again. A session that fails is attached again after a while if that may help.
 * Disposing releases all sessions and stops none.
 */
export class Sessions implements AsyncDisposable {
  readonly #runtime: Runtime;
  readonly #attaching = new Map<string, Promise<Session>>();
  /** Cancels the attach to a session. */
  readonly #canceling = new Map<string, AbortController>();
  readonly #forcedEnds: ForcedEnds;
  readonly #driven = new Map<string, Session>();
  /** Those of the driven sessions that another process had started. */
  readonly #attached = new Set<string>();
  readonly #options: SessionsOptions;
  readonly #clock: Clock;
  readonly #failures: SessionFailures;
  readonly #closing = new AbortController();
  #recovering: Promise<RecoveryReport> | null = null;

  constructor(runtime: Runtime, options: SessionsOptions = {}) {
    this.#runtime = runtime;
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#failures = new SessionFailures(this.#clock, (session) => void this.#retry(session));
    this.#forcedEnds = new ForcedEnds({
      runtime,
      clock: this.#clock,
      closing: this.#closing.signal,
      withSession: (id, action) => this.withSession(id, action),
      release: (id) => this.#release(id),
      onEnded: (id) => void this.#failures.clear(id),
    });
  }

  /** Returns the session if this process drives it now. */
  getIfDriven(id: string): Session | undefined {
    return this.#driven.get(id);
  }

  /** Returns why this process cannot drive a session, if it has tried. */
  failureOf(id: string): SessionFailure | undefined {
    return this.#failures.get(id);
  }

  /**
   * Resolves when it is known whether this process drives a session. After a restart, it may still be attaching. Waits
   * for this session alone: the recovery of another one may take long.
   */
  async waitUntilSettled(id: string): Promise<void> {
    if (this.#recovering !== null && !this.#attaching.has(id)) await this.recoverOne(id).catch(() => {});
    await this.#attaching.get(id)?.catch(() => {});
  }

  /** Whether no process drives the session or is attaching to it. `owner` is the process that drove it last. */
  isLost(id: string, owner: string): boolean {
    if (this.#driven.has(id) || this.#attaching.has(id) || this.#recovering !== null) return false;
    return owner === this.#runtime.owner || !isOwnerAlive(owner);
  }

  /** Returns the session with this id, and attaches to it if needed. Throws `session-ended` if it has ended. */
  async get(id: string): Promise<Session> {
    return this.#driven.get(id) ?? (await this.#attachOnce(id));
  }

  /** Adds a session that is being started. With its id, `get` waits for the start and does not attach beside it. */
  async adopt(starting: Promise<Session>, id?: string): Promise<Session> {
    const adopting = starting.then((session) => this.#add(session));
    if (id === undefined) return await adopting;
    this.#attaching.set(id, adopting);
    return await adopting.finally(() => this.#attaching.delete(id));
  }

  /**
   * Attaches to every session that was left running, so that it continues without a client: answers by mode, alarms,
   * queued messages. Skips sessions that another running process drives.
   */
  recover(): Promise<RecoveryReport> {
    this.#recovering ??= this.#recover().finally(() => {
      this.#recovering = null;
      if (!this.#closing.signal.aborted) void this.#runtime.sweepFailedStarts();
    });
    return this.#recovering;
  }

  /**
   * Repeats an action that was started before a crash. An action that was completed is not executed again, even if the
   * session has ended since. Throws `indeterminate` if the record of the action is gone.
   */
  async retryWithSession<Result>(id: string, action: (session: Session) => Promise<Result>): Promise<Result> {
    try {
      if (!this.#runtime.catalog.hasSpool(id)) throw new SpoolDamaged("spool", 0, "it is gone");
      if ((await this.#runtime.catalog.readNewestEvent(id)).body.type !== "session.ended")
        return await this.withSession(id, action);
      await using session = await this.#runtime.attach(id);
      return await action(session);
    } catch (error) {
      if (!isSpoolDamage(error) && !isSpoolDamage((error as Error).cause)) throw error;
      const message = `Whether the command was executed is unknown, because the spool of session ${id} is damaged or gone.`;
      throw new FairleadError("indeterminate", message, { cause: error });
    }
  }

  /**
   * Runs an action on a session, and takes it over if another process drives it. If its keeper exits meanwhile, as the
   * keeper of a paused session does, this attaches again and repeats the action. The action must therefore be idempotent.
   */
  async withSession<Result>(id: string, action: (session: Session) => Promise<Result>): Promise<Result> {
    let unconfirmed: unknown;
    for (let attempt = 1; ; attempt += 1) {
      const session = await this.get(id).catch((error: unknown) => {
        // The keeper that did not confirm the command may have recorded it.
        throw FairleadError.is(error, "unavailable") ? (unconfirmed ?? error) : error;
      });
      try {
        return await action(session);
      } catch (error) {
        if (!session.isFinished || isFinalRejection(error) || attempt === 3) throw error;
        if (error instanceof KeeperUnresponsive) throw keeperUnavailable(id, error);
        if (FairleadError.is(error, "indeterminate")) unconfirmed = error;
        await session.finished;
      }
    }
  }

  /**
   * Ends a session that cannot be stopped by a command: kills its keeper and everything its agent started, then records
   * the end. Needs neither the spool nor an adapter, and the journal only to record the end in it.
   */
  endByForce(id: string, cause: unknown): Promise<void> {
    return this.#forcedEnds.end(id, cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#failures[Symbol.dispose]();
    await Promise.allSettled(this.#attaching.values());
    await Promise.all([...this.#driven.values()].map((session) => session[Symbol.asyncDispose]()));
  }

  async #recover(): Promise<RecoveryReport> {
    const failures: { session: string; error: unknown }[] = [];
    let sessions = 0;
    await forEachConcurrently(
      maxConcurrentAttaches,
      this.#runtime.projections.listUnfinished(),
      async (session) => {
        try {
          if (this.#driven.has(session) && !this.#attached.has(session)) return;
          const { owner } = await this.#runtime.catalog.readTail(session);
          // A caller may have attached to it first.
          const isAttached = this.#attached.has(session) || this.#attaching.has(session);
          if (!isAttached && isOwnerAlive(owner)) return;
          await this.get(session);
          sessions += 1;
        } catch (error) {
          failures.push({ session, error });
        }
      },
      () => sleep(this.#clock, slowAttachDelay, this.#closing.signal),
    );
    return { sessions, failures };
  }

  /** Attaches to a session if it was left running. */
  async recoverOne(id: string): Promise<void> {
    const { catalog } = this.#runtime;
    if (this.#driven.has(id) || isOwnerAlive((await catalog.readTail(id)).owner)) return;
    if (await catalog.isUnfinished(id)) await this.get(id);
  }

  /** Attaches again after a failure, unless the session was paused or ended meanwhile, or another process drives it. */
  async #retry(id: string): Promise<void> {
    try {
      if (this.#driven.has(id) || this.#attaching.has(id)) return;
      const { owner } = await this.#runtime.catalog.readTail(id);
      const isForeign = owner !== this.#runtime.owner && isOwnerAlive(owner);
      if (isForeign || !(await this.#runtime.catalog.isUnfinished(id))) this.#failures.clear(id);
      else await this.get(id);
    } catch {
      // `get` has recorded the failure, with the time of the next attempt. Any other failure is not of this session.
    }
  }

  /** Cancels an attach that has not claimed the session, and releases the session if this process drives it. */
  async #release(id: string): Promise<void> {
    this.#canceling.get(id)?.abort();
    await Promise.allSettled([this.#attaching.get(id), this.#driven.get(id)?.[Symbol.asyncDispose]()]);
  }

  #attachOnce(id: string): Promise<Session> {
    const existing = this.#attaching.get(id);
    if (existing !== undefined) return existing;
    const canceling = new AbortController();
    const attaching = this.#attach(id, AbortSignal.any([this.#closing.signal, canceling.signal]))
      .catch((error: unknown) => {
        if (canceling.signal.aborted) throw commandRejected("session-ended");
        if (this.#isFailureOfSession(error)) this.#fail(id, error);
        else this.#failures.clear(id);
        throw toAttachError(id, error);
      })
      .finally(() => {
        this.#attaching.delete(id);
        this.#canceling.delete(id);
      });
    this.#attaching.set(id, attaching);
    this.#canceling.set(id, canceling);
    return attaching;
  }

  async #attach(id: string, signal: AbortSignal): Promise<Session> {
    const { catalog } = this.#runtime;
    await this.#forcedEnds.waitUntilRecorded(id);
    if (catalog.hasEndMarker(id)) throw commandRejected("session-ended");
    const newest = await catalog.readNewestEvent(id);
    if (newest.body.type === "session.ended") throw commandRejected("session-ended");
    if (!catalog.hasSpool(id)) {
      throw new FairleadError("corrupt", `Session ${id} cannot be attached, because its spool is gone.`);
    }
    const session = this.#add(await this.#runtime.attach(id, signal));
    this.#attached.add(id);
    // The process that started the session may have been killed before it sent `open`. A second `open` has no effect.
    if (session.state.launchedAt === 0 && !session.state.ledger.over) await session.open();
    return session;
  }

  #add(session: Session): Session {
    this.#driven.set(session.id, session);
    if (this.#failures.clear(session.id)) this.#options.onRecovered?.(session.id);
    void session.finished.then(() => {
      if (this.#driven.get(session.id) !== session) return;
      this.#driven.delete(session.id);
      this.#attached.delete(session.id);
      if (session.failure !== undefined) this.#fail(session.id, session.failure);
    });
    return session;
  }

  #fail(id: string, error: unknown): void {
    if (!this.#closing.signal.aborted) this.#options.onFailure?.(this.#failures.add(id, error));
  }

  #isFailureOfSession(error: unknown): boolean {
    const isAnswer = FairleadError.isInstance(error) && answerCodes.has(error.code);
    return !isAnswer && !this.#closing.signal.aborted;
  }
}

/** Codes of errors that say something about a session that is in order. */
const answerCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["session-ended", "session-not-found", "fenced"]);

/** Whether repeating the action would give the same error. The next keeper knows what one that was killed has recorded. */
function isFinalRejection(error: unknown): boolean {
  if (!FairleadError.isInstance(error)) return false;
  const { code, cause } = error;
  if (code === "indeterminate") return !(cause instanceof KeeperGone) || cause instanceof KeeperUnresponsive;
  return code !== "unavailable" && code !== "fenced";
}
