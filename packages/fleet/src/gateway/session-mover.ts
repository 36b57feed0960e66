import { setImmediate as yieldToOthers } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import type { SessionRow, SessionRowQuery } from "@fairlead/journal";
import { decodeEvents, SessionProjection } from "@fairlead/runtime";
import { moveJobKey, moveJobKind, MoveOutcome, type MoveJob } from "../move-job.ts";
import { defaultPool } from "../start-job.ts";
import type { HostTable } from "./host-table.ts";
import { removeForgottenRows } from "./known-sessions.ts";
import { MoveRounds, type MoveRound } from "./move-rounds.ts";

/** What became of a move. `kept`: there was nothing to move. `refused`: no host could take the session. */
export interface MoveReport {
  readonly session: string;
  readonly outcome: "arrived" | "kept" | "refused";
}

export interface SessionMoverOptions {
  readonly engine: Pick<Engine, "log" | "index" | "hosts" | "queue">;
  /** The hosts that have joined, as far as is known here. */
  readonly joined: Pick<HostTable, "has" | "newestJoin">;
  /**
   * Receives errors of moves, which are tried again. The refusals of one session by one host for one reason are reported once.
   * Must not throw.
   */
  readonly onError: (error: unknown) => void;
  /** Receives each session that moved or could not. Must not throw. */
  readonly onMove?: (report: MoveReport) => void;
  /** Milliseconds between two looks at all sessions, and between the first rounds of attempts for one. Default: 60 s. */
  readonly interval?: number;
}

const pageSize = 500;
/** Moves of one pool that are under way at the same time. The queue limits the hosts, and this the gateway. */
const maxMoves = 200;
/** Hosts that may refuse a session before the mover waits for the next round. */
const maxAttempts = 8;
/** Milliseconds that a job waits for a host with room, before the next look repeats the question. */
const jobTimeout = 60_000;
/** Milliseconds until the next look, after a host is gone and after an error: rows may be behind, and servers away. */
const soon = 5_000;
/** Milliseconds between two looks at least: many hosts may leave one after the other. */
const minPause = 2_000;
/** Milliseconds after the reset of a quota in which a host that has restarted wakes its sessions. */
const wakeGrace = 30_000;

/** The moves of one pool. A pool without hosts must not delay those of others. */
interface PoolMoves {
  readonly waiting: Set<string>;
  running: number;
}

/**
 * Puts the sessions of lost hosts into the queue of their pool. Each gateway does so: the keys of the jobs and the claim in the
 * log make it harmless. A lost host is noticed when it expires; a look at all sessions at regular times finds what a gateway
 * missed while none was running.
 */
export class SessionMover implements AsyncDisposable {
  readonly #options: SessionMoverOptions;
  readonly #interval: number;
  readonly #closing = new AbortController();
  readonly #moving = new Map<string, Promise<MoveOutcome | null>>();
  readonly #pools = new Map<string, PoolMoves>();
  readonly #rounds: MoveRounds;
  #wake = Promise.withResolvers<void>();
  /** Whether a host is gone since the last look began. One may have gone before this gateway started. */
  #isHostGone = true;
  #parkedLookAt = -Infinity;
  readonly #looking: Promise<void>;

  constructor(options: SessionMoverOptions) {
    this.#options = options;
    this.#interval = options.interval ?? 60_000;
    this.#rounds = new MoveRounds(this.#interval);
    this.#looking = this.#lookRegularly();
  }

  /** Looks for sessions to move now: a host has expired or left. */
  hostGone(): void {
    this.#isHostGone = true;
    this.#wake.resolve();
  }

  /**
   * Moves a session whose owner is lost, or has released it, for a client that waits. Returns the outcome; null if no host took it
   * in time, if the next round has not begun, or if its owner is alive.
   */
  move(session: string): Promise<MoveOutcome | null> {
    return this.#moveOnce(session, { isAsked: true });
  }

  #moveOnce(session: string, options: { readonly isAsked: boolean }): Promise<MoveOutcome | null> {
    const existing = this.#moving.get(session);
    if (existing !== undefined) return existing;
    const moving = this.#move(session, options).finally(() => this.#moving.delete(session));
    this.#moving.set(session, moving);
    return moving;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#wake.resolve();
    await this.#looking;
    await Promise.allSettled(this.#moving.values());
  }

  async #lookRegularly(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const isFollowed = this.#isHostGone;
      this.#isHostGone = false;
      const start = performance.now();
      let pause = isFollowed ? Math.min(soon, this.#interval) : this.#interval;
      try {
        await this.#look();
      } catch (error) {
        this.#options.onError(error);
        pause = Math.min(soon, this.#interval);
      }
      await this.#sleep(pause, () => this.#isHostGone);
      await this.#sleep(Math.min(minPause, this.#interval) - (performance.now() - start));
    }
  }

  /** Waits until the time is over, the mover closes, or, if it is a reason, a host is gone. */
  async #sleep(milliseconds: number, mayEnd: () => boolean = () => false): Promise<void> {
    const end = performance.now() + milliseconds;
    while (performance.now() < end && !this.#closing.signal.aborted && !mayEnd()) {
      this.#wake = Promise.withResolvers();
      const timer = setTimeout(this.#wake.resolve, Math.max(0, end - performance.now()));
      await this.#wake.promise;
      clearTimeout(timer);
    }
  }

  /**
   * Looks at open sessions, and less often at those that wait for a quota, because most paused sessions wait for a person, and at
   * damaged ones: a host lists as damaged what it has of a session that another one has forgotten.
   */
  async #look(): Promise<void> {
    const alive = new Map<string, boolean>();
    await this.#enqueueLost({ unfinished: true }, alive);
    if (performance.now() - this.#parkedLookAt < this.#interval) return;
    this.#parkedLookAt = performance.now();
    await this.#enqueueLost({ states: ["paused"] }, alive, mustBeAwake);
    await removeForgottenRows(this.#options.engine);
  }

  async #enqueueLost(
    query: SessionRowQuery,
    alive: Map<string, boolean>,
    mustMove: (row: SessionRow) => boolean = () => true,
  ): Promise<void> {
    const { index, hosts } = this.#options.engine;
    for (let cursor: string | null | undefined; cursor !== null && !this.#closing.signal.aborted;) {
      const page = await index.page(query, {
        order: "session",
        limit: pageSize,
        ...(cursor !== undefined && { cursor }),
      });
      for (const row of page.rows) {
        const { session, owner } = row;
        // The servers are asked last: most paused sessions wait for a person, and their hosts may be gone for long.
        if (this.#options.joined.has(owner) || this.#moving.has(session) || !mustMove(row)) continue;
        if (!alive.has(owner)) alive.set(owner, await hosts.isAlive(owner));
        if (alive.get(owner) === false && !this.#moving.has(session)) this.#enqueue(session, owner);
      }
      cursor = page.next;
      // The rows are in memory, and a gateway has clients to answer meanwhile.
      await yieldToOthers();
    }
  }

  #enqueue(session: string, owner: string): void {
    const pool = this.#poolOf(owner);
    const moves = this.#pools.get(pool) ?? { waiting: new Set(), running: 0 };
    this.#pools.set(pool, moves);
    moves.waiting.add(session);
    this.#startWaiting(moves);
  }

  #startWaiting(moves: PoolMoves): void {
    for (const session of moves.waiting) {
      if (moves.running >= maxMoves || this.#closing.signal.aborted) return;
      moves.waiting.delete(session);
      moves.running += 1;
      const onError = (error: unknown): void => {
        this.#options.onError(error);
        // The servers are away. The next look finds the sessions again.
        if (FairleadError.is(error, "unavailable")) moves.waiting.clear();
      };
      void this.#moveOnce(session, { isAsked: false })
        .catch(onError)
        .finally(() => {
          moves.running -= 1;
          this.#startWaiting(moves);
        });
    }
  }

  async #move(session: string, { isAsked }: { readonly isAsked: boolean }): Promise<MoveOutcome | null> {
    const { engine, onMove } = this.#options;
    for (;;) {
      const { epoch, owner } = await engine.log.tail(session);
      if (epoch === 0 || this.#options.joined.has(owner) || (await engine.hosts.isAlive(owner))) {
        this.#rounds.forget(session);
        return null;
      }
      const pool = this.#poolOf(owner);
      const round = this.#rounds.begin(session, epoch, { isAsked, joinedAt: this.#options.joined.newestJoin(pool) });
      if (round === null) return null;
      const outcome = await this.#askHosts(session, pool, round);
      if (outcome === null) return null;
      this.#rounds.end(round);
      if (outcome.arrival === "kept" && (await this.#hasEnded(session))) round.number = Infinity;
      // The answer may be days old: the owner was alive then.
      else if (outcome.arrival === "kept" && round.number === 0) continue;
      if (outcome.arrival === "arrived") this.#rounds.forget(session);
      onMove?.({ session, outcome: outcome.arrival ?? "refused" });
      return outcome;
    }
  }

  /** Returns the answer of the host that took the session or kept it, or else the last refusal; null if none answered. */
  async #askHosts(session: string, pool: string, round: MoveRound): Promise<MoveOutcome | null> {
    const refusedBy: string[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const key = moveJobKey(session, round.epoch, attempt, round.number);
      const outcome = await this.#put(pool, { session, refusedBy }, key);
      if (outcome?.arrival !== undefined || outcome === null) return outcome;
      // The outcome of an attempt that another gateway has put names its host too.
      const { host, problem } = outcome;
      const code = problem?.code ?? "unavailable";
      if (!round.reported.has(`${host} ${code}`))
        this.#options.onError(
          new FairleadError(code, `Host ${host} cannot take session ${session}: ${problem?.message}`),
        );
      round.reported.add(`${host} ${code}`);
      // No other host has taken the job in time.
      if (refusedBy.includes(host) || attempt === maxAttempts) return outcome;
      refusedBy.push(host);
    }
  }

  async #put(pool: string, params: MoveJob, key: string): Promise<MoveOutcome | null> {
    const late = AbortSignal.timeout(jobTimeout);
    const signal = AbortSignal.any([this.#closing.signal, late]);
    try {
      return MoveOutcome.parse(await this.#options.engine.queue.put(pool, { kind: moveJobKind, params }, key, signal));
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  /** Whether the session has ended, although its row says otherwise: its host died before it wrote the row. */
  async #hasEnded(session: string): Promise<boolean> {
    const { log } = this.#options.engine;
    const { last } = await log.tail(session);
    const [newest] = await Array.fromAsync(decodeEvents(log.read(session, last - 1)));
    return newest?.body.type === "session.ended";
  }

  #poolOf(owner: string): string {
    return this.#options.engine.hosts.poolOf(owner) ?? defaultPool;
  }
}

/** Whether a session waits for a quota that was reset some time ago, so that its host has not continued it. */
function mustBeAwake(row: SessionRow): boolean {
  // Most paused sessions wait for nothing. To parse each row would take much longer.
  if (!row.content.includes('"pausedUntil":"')) return false;
  const until = SessionProjection.fromRow(row).summary?.pausedUntil;
  return until != null && Date.parse(until) + wakeGrace < Date.now();
}
