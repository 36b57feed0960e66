import type { ErrorCode } from "@fairlead/contract";
import { commandRejected } from "./command-rejected.ts";

/** Number of rejections that are stored. A caller that repeats a command does so soon after the first attempt. */
const maxRejections = 256;

/** The note id of a rejected command, and the reason. */
export type CommandRejection = readonly [id: string, code: ErrorCode];

interface NoteWaiter extends PromiseWithResolvers<string | null> {
  /** The turn that was open before the note. Null until the note is processed, and if no turn was open. */
  openTurn: string | null;
}

/** Callers that wait until their note was processed; and rejections, so that a repeated command is rejected again. */
export class PendingNotes {
  readonly #waiters = new Map<string, NoteWaiter>();
  readonly #rejections: Map<string, ErrorCode>;

  constructor(rejections: readonly CommandRejection[] = []) {
    this.#rejections = new Map(rejections);
  }

  get rejections(): readonly CommandRejection[] {
    return [...this.#rejections];
  }

  /**
   * Resolves when the note was processed; rejects if its command was rejected. Returns the turn that was open before the
   * note. Null if there was none, or if the note was processed before this call.
   */
  outcome(id: string): Promise<string | null> {
    const waiter = this.#waiters.get(id) ?? { ...Promise.withResolvers<string | null>(), openTurn: null };
    waiter.promise.catch(() => {}); // a caller may stop waiting; that must not be an unhandled rejection
    this.#waiters.set(id, waiter);
    return waiter.promise;
  }

  /** Stores the outcome of a note that the actor read from the spool: for its caller, and longer if it was rejected. */
  recordOutcome(id: string, rejection: ErrorCode | null, openTurn: string | null): void {
    const waiter = this.#waiters.get(id);
    if (waiter !== undefined) waiter.openTurn = openTurn;
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
    if (rejection === undefined) waiter?.resolve(waiter.openTurn);
    else waiter?.reject(commandRejected(rejection));
  }

  rejectAll(reason: unknown): void {
    for (const waiter of this.#waiters.values()) waiter.reject(reason);
    this.#waiters.clear();
  }
}
