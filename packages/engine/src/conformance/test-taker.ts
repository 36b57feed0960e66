import { expect } from "vitest";
import type { Job, Ticket, WorkQueue } from "../work-queue.ts";
import { createSuiteDeadline } from "./opened-engine.ts";

export function createTestJob(params: unknown = null): Job {
  return { kind: "test", params };
}

/** Asks for the jobs of one pool, one at a time. */
export class TestTaker implements AsyncDisposable {
  readonly #controller = new AbortController();
  readonly #tickets: AsyncIterator<Ticket>;

  constructor(queue: WorkQueue, pool: string) {
    const signal = AbortSignal.any([this.#controller.signal, createSuiteDeadline()]);
    this.#tickets = queue.take(pool, signal)[Symbol.asyncIterator]();
  }

  async next(): Promise<Ticket> {
    const { value, done } = await this.#tickets.next();
    expect(done, "the iteration has ended before a job came").not.toBe(true);
    return value as Ticket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#controller.abort();
    await this.#tickets.return?.();
  }
}

/** Puts a job that no caller waits for: the caller has left, and the job is in the queue. */
export function putAndLeave(queue: WorkQueue, pool: string, job: Job, key: string): void {
  queue.put(pool, job, key, createSuiteDeadline()).catch(() => {});
}
