import type { ErrorCode } from "@fairlead/contract";
import { refused } from "./refused.ts";

/** How many refusals are remembered. Who asks again asks soon. */
const most = 256;

/** A wish that was refused, and why. */
export type Refusal = readonly [id: string, code: ErrorCode];

/** Those who wait for their note to be acted upon; and refusals, so that a wish that is repeated is refused again. */
export class AwaitedNotes {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  readonly #refusals: Map<string, ErrorCode>;

  constructor(refusals: readonly Refusal[] = []) {
    this.#refusals = new Map(refusals);
  }

  get refusals(): readonly Refusal[] {
    return [...this.#refusals];
  }

  /** Resolves when the note has been acted upon; rejects if it was refused. */
  outcome(id: string): Promise<void> {
    const waiter = this.#waiting.get(id) ?? Promise.withResolvers<void>();
    waiter.promise.catch(() => {}); // whoever awaits it is told; nobody need
    this.#waiting.set(id, waiter);
    return waiter.promise;
  }

  /** The note stands in the spool and has been read. */
  read(id: string, refusal: ErrorCode | null): void {
    if (refusal === null) return;
    this.#refusals.set(id, refusal);
    const [oldest] = this.#refusals.keys();
    if (this.#refusals.size > most && oldest !== undefined) this.#refusals.delete(oldest);
  }

  /** It was read, and what followed from it is written down. */
  settle(id: string): void {
    const waiter = this.#waiting.get(id);
    this.#waiting.delete(id);
    const refusal = this.#refusals.get(id);
    if (refusal === undefined) waiter?.resolve();
    else waiter?.reject(refused(refusal));
  }

  fail(reason: unknown): void {
    for (const waiter of this.#waiting.values()) waiter.reject(reason);
    this.#waiting.clear();
  }
}
