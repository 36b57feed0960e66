import type { ErrorCode } from "@fairlead/contract";
import { commandRejected } from "./command-rejected.ts";

/** Number of rejections that are stored. A caller that repeats a command does so soon after the first attempt. */
const maxRejections = 256;

/** The note id of a rejected command, and the reason. */
export type CommandRejection = readonly [id: string, code: ErrorCode];

/** Callers that wait until their note was processed; and rejections, so that a repeated command is rejected again. */
export class PendingNotes {
  readonly #waiters = new Map<string, PromiseWithResolvers<void>>();
  readonly #rejections: Map<string, ErrorCode>;

  constructor(rejections: readonly CommandRejection[] = []) {
    this.#rejections = new Map(rejections);
  }

  get rejections(): readonly CommandRejection[] {
    return [...this.#rejections];
  }

  /** Resolves when the note was processed; rejects if its command was rejected. */
  outcome(id: string): Promise<void> {
    const waiter = this.#waiters.get(id) ?? Promise.withResolvers<void>();
    waiter.promise.catch(() => {}); // a caller may stop waiting; that must not be an unhandled rejection
    this.#waiters.set(id, waiter);
    return waiter.promise;
  }

  /** Stores the rejection of a note that the actor read from the spool, if it was rejected. */
  recordOutcome(id: string, rejection: ErrorCode | null): void {
    if (rejection === null) return;
    this.#rejections.set(id, rejection);
    const [oldest] = this.#rejections.keys();
    if (this.#rejections.size > maxRejections && oldest !== undefined) this.#rejections.delete(oldest);
  }

  /** Settles the callers that wait for a note, after its events were appended to the journal. */
  settle(id: string): void {
    const waiter = this.#waiters.get(id);
    this.#waiters.delete(id);
    const rejection = this.#rejections.get(id);
    if (rejection === undefined) waiter?.resolve();
    else waiter?.reject(commandRejected(rejection));
  }

  rejectAll(reason: unknown): void {
    for (const waiter of this.#waiters.values()) waiter.reject(reason);
    this.#waiters.clear();
  }
}
