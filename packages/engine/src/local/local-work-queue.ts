import { FairleadError } from "@fairlead/contract";
import type { Job, Ticket, WorkQueue } from "../work-queue.ts";
import { LocalTicket } from "./local-ticket.ts";
import { PendingCalls } from "./pending-calls.ts";

export interface LocalWorkQueueOptions {
  /** Milliseconds after which another taker gets a job, unless its taker extends it. */
  readonly lease?: number;
  readonly now?: () => number;
}

/** A job that has not ended. */
interface OpenJob {
  readonly number: number;
  readonly pool: string;
  readonly key: string;
  readonly job: Job;
  readonly ended: PromiseWithResolvers<unknown>;
  attempts: number;
}

interface StoredOutcome {
  readonly outcome: unknown;
  readonly endedAt: number;
}

const defaultLeaseMs = 30_000;
/** As long as the keys of commands are kept. */
const outcomeLifetimeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * The queue of one machine, in memory. That suffices because one process puts the jobs and takes them: when it ends, so do
 * all callers that wait for an outcome. A caller that repeats its command with the same key puts the job again, and a job is
 * harmless to repeat.
 */
export class LocalWorkQueue implements WorkQueue, AsyncDisposable {
  readonly #lease: number;
  readonly #now: () => number;
  readonly #open = new Map<string, OpenJob>();
  /** The jobs without a taker, by pool, the oldest first. */
  readonly #waiting = new Map<string, OpenJob[]>();
  /** In the order in which the jobs ended. */
  readonly #outcomes = new Map<string, StoredOutcome>();
  readonly #tickets = new Set<LocalTicket>();
  readonly #pending = new PendingCalls();
  /** Wakes the takers that wait for a job. */
  readonly #wakeups = new Set<() => void>();
  #jobCount = 0;
  #isClosed = false;

  constructor({ lease = defaultLeaseMs, now = Date.now }: LocalWorkQueueOptions = {}) {
    this.#lease = lease;
    this.#now = now;
  }

  async put(pool: string, job: Job, key: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#assertOpen();
    this.#dropOldOutcomes();
    const stored = this.#outcomes.get(key);
    if (stored !== undefined) return stored.outcome;
    const open = this.#open.get(key) ?? this.#add(pool, job, key);
    return await this.#pending.wait(open.ended.promise, signal);
  }

  async *take(pool: string, signal: AbortSignal): AsyncGenerator<Ticket> {
    for (;;) {
      this.#assertOpen();
      if (signal.aborted) return;
      // Nothing is awaited between the removal from the queue and the yield, so a job cannot be lost in between.
      const next = this.#removeOldest(pool);
      if (next === undefined) await this.#waitForChange(signal);
      else yield this.#issueTicket(next);
    }
  }

  /** Rejects all calls, and ends all iterations with an error. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const ticket of this.#tickets) ticket.close(createQueueClosedError());
    this.#pending.rejectAll(createQueueClosedError());
    this.#wakeTakers();
  }

  #add(pool: string, job: Job, key: string): OpenJob {
    const number = ++this.#jobCount;
    const open: OpenJob = { number, pool, key, job, ended: Promise.withResolvers(), attempts: 0 };
    this.#open.set(key, open);
    this.#queue(open);
    return open;
  }

  /** A job that was returned gets the place that it had. */
  #queue(job: OpenJob): void {
    const waiting = this.#waiting.get(job.pool) ?? [];
    const isLast = job.number > (waiting.at(-1)?.number ?? 0);
    waiting.push(job);
    if (!isLast) waiting.sort((one, other) => one.number - other.number);
    this.#waiting.set(job.pool, waiting);
    this.#wakeTakers();
  }

  #removeOldest(pool: string): OpenJob | undefined {
    const waiting = this.#waiting.get(pool);
    const oldest = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(pool);
    return oldest;
  }

  #issueTicket(open: OpenJob): Ticket {
    const { key, job } = open;
    const ticket: LocalTicket = new LocalTicket({
      key,
      job,
      attempt: ++open.attempts,
      lease: this.#lease,
      release: () => {
        this.#tickets.delete(ticket);
        this.#queue(open);
      },
      end: (outcome) => {
        this.#tickets.delete(ticket);
        this.#open.delete(key);
        this.#outcomes.set(key, { outcome, endedAt: this.#now() });
        open.ended.resolve(outcome);
      },
    });
    this.#tickets.add(ticket);
    return ticket;
  }

  #dropOldOutcomes(): void {
    for (const [key, { endedAt }] of this.#outcomes) {
      if (this.#now() - endedAt <= outcomeLifetimeMs) return;
      this.#outcomes.delete(key);
    }
  }

  async #waitForChange(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    signal.addEventListener("abort", wake);
    this.#wakeups.add(wake);
    await promise;
    signal.removeEventListener("abort", wake);
    this.#wakeups.delete(wake);
  }

  #wakeTakers(): void {
    for (const wake of this.#wakeups) wake();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw createQueueClosedError();
  }
}

function createQueueClosedError(): FairleadError {
  return new FairleadError("unavailable", "The engine is closed.");
}
