import { FairleadError, isOpen } from "@fairlead/contract";
import type { Claim } from "@fairlead/journal";
import { ForcedEnds } from "./forced-ends.ts";
import { isFailureOfSession, toAttachError } from "./attach/attach-error.ts";
import { realClock, type Clock } from "../actor/clock.ts";
import { commandRejected, movingAway } from "../actor/command-rejected.ts";
import type { Runtime } from "../runtime.ts";
import { failureAfterClaim } from "./attach/failure-after-claim.ts";
import { mustAttach } from "./attach/must-attach.ts";
import type { LeaveOptions } from "./leave-host.ts";
import type { Session } from "./session.ts";
import { recoverSessions, type RecoveryReport } from "./attach/recover-sessions.ts";
import { retryWithSession } from "./attach/retry-with-session.ts";
import { runWithSession } from "./attach/run-with-session.ts";
import { SessionFailures, type SessionFailure } from "./session-failures.ts";

export interface SessionsOptions {
  /** Receives each failure to drive a session. Must not throw. */
  readonly onFailure?: (failure: SessionFailure) => void;
  /** Receives the id of a session that is driven again after a failure. Must not throw. */
  readonly onRecovered?: (session: string) => void;
  /** Receives each session that this process begins to drive, also again after it stopped. Must not throw. */
  readonly onDriven?: (session: Session) => void;
  /** Receives each session that this process took over from another host by an attach. Must not throw. */
  readonly onLateArrival?: (session: string) => void;
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
  /** The sessions that arrive from another host. */
  readonly #arriving = new Map<string, Promise<boolean>>();
  /** Cancels the attach to a session. */
  readonly #canceling = new Map<string, AbortController>();
  readonly #forcedEnds: ForcedEnds;
  readonly #driven = new Map<string, Session>();
  /** Those of the driven sessions that another process had started. */
  readonly #attached = new Set<string>();
  /** The sessions that are leaving this host. */
  readonly #leaving = new Set<string>();
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
    await this.#arriving.get(id)?.catch(() => {});
    if (this.#recovering !== null && !this.#attaching.has(id)) await this.recoverOne(id).catch(() => {});
    await this.#attaching.get(id)?.catch(() => {});
  }

  /** Whether no process drives the session or is attaching to it. `owner` is the process that drove it last. */
  async isLost(id: string, owner: string): Promise<boolean> {
    const isStarting = this.#attaching.has(id) || this.#arriving.has(id) || this.#recovering !== null;
    if (this.#driven.has(id) || isStarting) return false;
    return owner === this.#runtime.owner || !(await this.#runtime.engine.hosts.isAlive(owner));
  }

  /** Returns the session with this id, and attaches to it if needed. Throws `session-ended` if it has ended. */
  async get(id: string): Promise<Session> {
    await this.#arriving.get(id)?.catch(() => {}); // if it fails, the attach gives the reason
    const driven = this.#driven.get(id);
    if (driven !== undefined) return driven;
    if (this.#leaving.has(id)) throw movingAway(id);
    return await this.#attachOnce(id);
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
    this.#recovering ??= recoverSessions({
      runtime: this.#runtime,
      clock: this.#clock,
      signal: this.#closing.signal,
      wasStartedHere: (id) => this.#driven.has(id) && !this.#attached.has(id),
      isAttached: (id) => this.#attached.has(id) || this.#attaching.has(id),
      attach: (id) => this.get(id),
    }).finally(() => {
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
    return await retryWithSession({ runtime: this.#runtime, sessions: this }, id, action);
  }

  /**
   * Runs an action on a session, and takes it over if another process drives it. If its keeper exits meanwhile, as the
   * keeper of a paused session does, this attaches again and repeats the action. The action must therefore be idempotent.
   */
  async withSession<Result>(id: string, action: (session: Session) => Promise<Result>): Promise<Result> {
    return await runWithSession((one) => this.get(one), id, action);
  }

  /** Takes a session over from another host, and drives it. Returns false if there was nothing to take. */
  async arrive(id: string): Promise<boolean> {
    const arriving = this.#arriving.get(id) ?? this.#arrive(id).finally(() => this.#arriving.delete(id));
    this.#arriving.set(id, arriving);
    return await arriving;
  }

  /** Lets a session leave this host, and releases it. If that fails, it may have paused, and `get` continues it. */
  async leave(id: string, options: LeaveOptions): Promise<void> {
    const session = await this.get(id);
    this.#leaving.add(id);
    try {
      await session.leave(options);
    } catch (error) {
      throw toAttachError(id, error);
    } finally {
      await this.#release(id);
      this.#leaving.delete(id);
    }
  }

  /** Whether a session has paused to leave this host, so that a command must wait. */
  hasLeft(id: string): boolean {
    const ledger = this.#driven.get(id)?.state.ledger;
    return this.#leaving.has(id) && (ledger === undefined || isOpen(ledger, "pause"));
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
    await Promise.allSettled([...this.#attaching.values(), ...this.#arriving.values()]);
    await Promise.all([...this.#driven.values()].map((session) => session[Symbol.asyncDispose]()));
  }

  /** Attaches to a session if it was left running. */
  async recoverOne(id: string): Promise<void> {
    const { catalog, engine } = this.#runtime;
    if (this.#driven.has(id) || (await engine.hosts.isAlive((await catalog.readTail(id)).owner))) return;
    if (await catalog.isUnfinished(id)) await this.get(id);
  }

  /** Attaches again after a failure, unless the session was paused or ended meanwhile, or another process drives it. */
  async #retry(id: string): Promise<void> {
    try {
      if (this.#driven.has(id) || this.#attaching.has(id)) return;
      const isDue = await mustAttach(this.#runtime, id).catch((error: unknown) => {
        // Otherwise the next attempt would be lost.
        if (this.#failures.get(id) !== undefined) this.#fail(id, error);
        throw error;
      });
      if (isDue) await this.get(id);
      else this.#failures.clear(id);
    } catch {
      // The failure is recorded, with the time of the next attempt, unless it is not of this session.
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
        if (canceling.signal.aborted) throw this.#leaving.has(id) ? movingAway(id) : commandRejected("session-ended");
        if (isFailureOfSession(error)) this.#fail(id, error);
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
    // On a host of a fleet, an arrival may not have ended.
    const claim = catalog.hasSpool(id) ? undefined : await this.#runtime.arrive(id);
    if (claim === null)
      throw new FairleadError("corrupt", `Session ${id} cannot be attached, because its spool is gone.`);
    const session = await this.#drive(id, signal, claim);
    if (claim !== undefined) this.#options.onLateArrival?.(id);
    return session;
  }

  async #arrive(id: string): Promise<boolean> {
    await this.#attaching.get(id)?.catch(() => {});
    if (this.#driven.has(id)) return false;
    const claim = await this.#runtime.arrive(id).catch(async (error: unknown) => {
      const failure = await failureAfterClaim(this.#runtime, id, error);
      if (failure !== undefined) this.#fail(id, failure);
      throw error;
    });
    if (claim === null) return false;
    // This host has it now, and tries again as it does after a restart.
    await this.#drive(id, this.#closing.signal, claim).catch((error: unknown) => this.#fail(id, error));
    return true;
  }

  async #drive(id: string, signal: AbortSignal, claim?: Claim): Promise<Session> {
    const session = this.#add(await this.#runtime.attach(id, signal, claim));
    this.#attached.add(id);
    const { launchedAt, ledger } = session.state;
    if (ledger.over) return session;
    // The process that started the session may have been killed before it sent `open`. A second `open` has no effect.
    if (launchedAt === 0) await session.open();
    await session.stay();
    return session;
  }

  #add(session: Session): Session {
    this.#driven.set(session.id, session);
    if (this.#failures.clear(session.id)) this.#options.onRecovered?.(session.id);
    this.#options.onDriven?.(session);
    void session.finished.then(() => {
      if (this.#driven.get(session.id) !== session) return;
      this.#driven.delete(session.id);
      this.#attached.delete(session.id);
      if (session.failure !== undefined) this.#fail(session.id, session.failure);
      // Its keeper ended the agent, because this process did not attend to it for too long.
      const { ledger, stoppedFor } = session.state;
      if (!ledger.over && stoppedFor === "moved" && !this.#leaving.has(session.id) && !this.#closing.signal.aborted)
        void this.#retry(session.id);
    });
    return session;
  }

  #fail(id: string, error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const failure = this.#failures.add(id, error);
    this.#options.onFailure?.(failure);
  }
}
