import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import type { LocalFairlead } from "@fairlead/service";
import { moveJobKind, MoveOutcome } from "../move-job.ts";
import type { MoveFailure } from "./move-failure.ts";
import { MoveLimit } from "./move-limit.ts";
import { SharedTasks } from "./shared-tasks.ts";

export interface DeparturesOptions {
  readonly engine: Pick<Engine, "log" | "queue">;
  readonly fairlead: Pick<LocalFairlead, "leave" | "stay">;
  /** The id of this host. */
  readonly host: string;
  readonly pool: string;
  /** Aborts when this process ends. The next process of this host drives the sessions that are between two hosts. */
  readonly closing: AbortSignal;
  /** Receives each session that stays although it should leave. Must not throw. */
  readonly onFailure: (failure: MoveFailure) => void;
  /** Milliseconds after an error of the servers. Default: 1 s. */
  readonly retryPause?: number;
}

/** What became of the sessions of a host that was drained. */
export interface DrainReport {
  readonly moved: readonly string[];
  /** The sessions that ended meanwhile. */
  readonly ended: readonly string[];
  readonly left: readonly { readonly session: string; readonly reason: string }[];
}

/** What became of one session. `paused`: no agent runs that could leave, and it continues on any host when it is resumed. */
type Departure = "moved" | "ended" | "paused" | Refusal;

/** Why a session stays. */
interface Refusal {
  readonly reason: string;
  /** Rounds of a drain in which it may leave nevertheless. Missing if it would be refused again. */
  readonly rounds?: number;
}

/** Another host found it neither paused nor without a host. */
const workedMeanwhile = "It got work while it was to move, and continues here.";
/** Milliseconds that a session waits for another host with room. */
const jobTimeout = 60_000;
/** Hosts that may refuse a session before it stays. */
const maxAttempts = 8;
/** How often servers may fail while a session is between two hosts. */
const maxFailures = 30;
/** Sessions that are between two hosts at the same time. Others wait for their turns to end, or to be next. */
const maxDepartures = 16;
/** How often the host looks for sessions that it still drives. */
const maxRounds = 20;
/** Rounds after which a session stays that fails to leave. Each of them ends its agent and starts it again. */
const maxFailedRounds = 3;

/** Lets sessions leave a host: their turns end, they pause as `moved`, and another host of the pool takes them. */
export class Departures {
  readonly #options: DeparturesOptions;
  readonly #limit = new MoveLimit(maxDepartures);
  readonly #away = new Set<string>();
  readonly #tasks = new SharedTasks<Departure>();
  readonly #reported = new WeakSet<Refusal>();
  #jobs = 0;

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  /** Whether a session is between this host and another one, so that a command must wait. */
  isAway(session: string): boolean {
    return this.#away.has(session);
  }

  /** Whether a session is about to leave, leaves, or is made to stay after that. */
  isLeaving(session: string): boolean {
    return this.#tasks.has(session);
  }

  /** Moves one session. Callers that ask for the same one share a task. Returns why it stays. Throws only if the signal aborts. */
  async leave(session: string, signal: AbortSignal = this.#options.closing): Promise<Departure> {
    const departure = await this.#share(session, signal);
    // Each caller of a shared task gets the same refusal.
    if (typeof departure === "object" && !this.#reported.has(departure)) this.#report(session, departure);
    return departure;
  }

  #report(session: string, refusal: Refusal): void {
    this.#reported.add(refusal);
    const { reason } = refusal;
    this.#options.onFailure({ session, move: "departure", error: new FairleadError("unavailable", reason) });
  }

  async #share(session: string, signal: AbortSignal): Promise<Departure> {
    const stop = AbortSignal.any([signal, this.#options.closing]);
    const departure = await this.#tasks.run(session, (abandoned) => this.#leave(session, abandoned), stop);
    if (typeof departure !== "string") signal.throwIfAborted();
    return departure;
  }

  async #leave(session: string, signal: AbortSignal): Promise<Departure> {
    const { fairlead, closing } = this.#options;
    using place = this.#limit.place();
    const takePlace = (): Promise<void> => place.take(signal);
    try {
      await fairlead.leave(session, { signal, takePlace, returnPlace: () => place.return() });
    } catch (error) {
      if (FairleadError.is(error, "session-ended")) return "ended";
      if (FairleadError.is(error, "session-paused")) return "paused";
      closing.throwIfAborted();
      // A snapshot that took too long is continued by the next one.
      const isTransient = FairleadError.is(error, "unavailable") || FairleadError.is(error, "timed-out");
      // It may have paused before it failed.
      return await this.#stay(session, { reason: describe(error), ...(isTransient && { rounds: maxFailedRounds }) });
    }
    this.#away.add(session);
    try {
      const refusal = await this.#offer(session, signal).catch((error: unknown) => ({ reason: describe(error) }));
      closing.throwIfAborted();
      return refusal === null ? "moved" : await this.#stay(session, refusal);
    } finally {
      this.#away.delete(session);
    }
  }

  /**
   * Moves all sessions that `list` returns, until it returns none. Those that cannot move stay and continue. A session whose
   * turn runs delays no other.
   */
  async drain(list: () => readonly string[], caller = this.#options.closing): Promise<DrainReport> {
    const signal = AbortSignal.any([caller, this.#options.closing]);
    signal.throwIfAborted();
    const moved = new Set<string>();
    const ended = new Set<string>();
    const paused = new Set<string>();
    const left = new Map<string, Refusal>();
    for (let round = 0; round < maxRounds && !signal.aborted; round += 1) {
      const mayLeave = (one: string): boolean => !left.has(one) || round < (left.get(one)?.rounds ?? 0);
      const waiting = list().filter((session) => !paused.has(session) && mayLeave(session));
      if (waiting.length === 0) break;
      // What made them stay may last a moment.
      if (waiting.every((session) => left.has(session))) await delay(this.#retryPause, undefined, { signal });
      const leaving = waiting.map(async (session) => {
        left.delete(session);
        const outcome = await this.#share(session, signal);
        if (outcome === "moved") moved.add(session);
        else if (outcome === "ended") ended.add(session);
        else if (outcome === "paused") paused.add(session);
        else left.set(session, outcome);
      });
      await Promise.allSettled(leaving);
      signal.throwIfAborted();
    }
    for (const [session, refusal] of left) if (!this.#reported.has(refusal)) this.#report(session, refusal);
    return {
      moved: [...moved],
      ended: [...ended],
      left: [...left].map(([session, { reason }]) => ({ session, reason })),
    };
  }

  /** Offers a session to the hosts of the pool, one after the other. Returns null if one has taken it. */
  async #offer(session: string, signal: AbortSignal): Promise<Refusal | null> {
    const { host, pool } = this.#options;
    const refusedBy = [host];
    let reason = `No other host of the pool ${pool} took it in time.`;
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const outcome = await this.#put(session, refusedBy, signal);
      if (outcome?.arrival === "arrived") return null;
      if (outcome?.arrival === "kept") return { reason: workedMeanwhile, rounds: maxRounds };
      if (outcome?.problem === undefined) break;
      reason = `Host ${outcome.host} cannot take it: ${outcome.problem.message}`;
      // It leaves the job to others, and takes it again if there is none.
      if (refusedBy.includes(outcome.host)) break;
      refusedBy.push(outcome.host);
    }
    return { reason };
  }

  async #put(session: string, refusedBy: readonly string[], signal: AbortSignal): Promise<MoveOutcome | null> {
    const { engine, host, pool } = this.#options;
    const late = AbortSignal.any([signal, AbortSignal.timeout(jobTimeout)]);
    const job = { kind: moveJobKind, params: { session, refusedBy: [...refusedBy] } };
    // Nobody repeats a job of this process, and the outcome of an earlier one must not answer it.
    const key = `leave ${session} ${host} ${Date.now()} ${(this.#jobs += 1)}`;
    try {
      return await this.#retry(async () => MoveOutcome.parse(await engine.queue.put(pool, job, key, late)), late);
    } catch (error) {
      if (late.aborted) return null;
      throw error;
    }
  }

  /** Continues a session here, unless another host has taken it meanwhile. */
  async #stay(session: string, refusal: Refusal): Promise<Departure> {
    this.#away.delete(session);
    try {
      await this.#retry(() => this.#options.fairlead.stay(session));
      return refusal;
    } catch (error) {
      if (FairleadError.is(error, "fenced")) return "moved";
      if (FairleadError.is(error, "session-ended")) return "ended";
      return { reason: `${refusal.reason} It cannot continue here either: ${describe(error)}` };
    }
  }

  get #retryPause(): number {
    return this.#options.retryPause ?? 1000;
  }

  /** Repeats an action while the servers elect a leader: nobody drives the session meanwhile. */
  async #retry<Result>(action: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await action();
      } catch (error) {
        if (!FairleadError.is(error, "unavailable") || failures === maxFailures || signal?.aborted === true)
          throw error;
      }
      await delay(this.#retryPause, undefined, { ...(signal && { signal }) });
    }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
