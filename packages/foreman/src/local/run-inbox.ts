import { FairleadError } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import type { WorkflowClock } from "../workflows/workflow-clock.ts";
import { decodeWorkflowRecords, inboxName, readWorkflowRecords, type InboxRecord } from "./run-records.ts";

/** Milliseconds between two attempts to watch an unavailable log. */
const retryDelay = 250;

/** What other calls and processes have sent to a run that this process owns. */
export class RunInbox {
  readonly #log: Journal;
  readonly #run: string;
  readonly #signaledAt = new Map<string, number>();
  readonly #canceled = Promise.withResolvers<void>();
  #isCanceled = false;
  #newestClaim = 0;
  #last = 0;
  #change = Promise.withResolvers<void>();

  constructor(log: Journal, run: string) {
    this.#log = log;
    this.#run = run;
  }

  get isCanceled(): boolean {
    return this.#isCanceled;
  }

  /** Resolves when the run is canceled. */
  get whenCanceled(): Promise<void> {
    return this.#canceled.promise;
  }

  /** The time of the first signal with a key. */
  signaledAt(key: string): number | undefined {
    return this.#signaledAt.get(key);
  }

  /** Resolves at the next change. */
  nextChange(): Promise<void> {
    return this.#change.promise;
  }

  /** Reads what is there. The body starts after that, so that a signal of the time before counts against a deadline. */
  async read(): Promise<void> {
    for (const record of await readWorkflowRecords(this.#log, inboxName(this.#run), 0))
      this.#take(record as InboxRecord);
  }

  /** Takes what is appended. Returns when the signal aborts, or the epoch of another process that has claimed the run. */
  async watch(epoch: number, clock: WorkflowClock, signal: AbortSignal): Promise<number | undefined> {
    while (!signal.aborted) {
      try {
        for await (const batch of this.#log.watch(inboxName(this.#run), this.#last, signal)) {
          for (const record of decodeWorkflowRecords(batch)) this.#take(record as InboxRecord);
          if (this.#newestClaim > epoch) return this.#newestClaim;
        }
      } catch (error) {
        if (!FairleadError.is(error, "unavailable") || signal.aborted) throw error;
        await clock.sleep(retryDelay, signal);
      }
    }
    return undefined;
  }

  #take(record: InboxRecord): void {
    this.#last += 1;
    if (record.type === "signal") {
      if (!this.#signaledAt.has(record.key)) this.#signaledAt.set(record.key, record.at);
    } else if (record.type === "cancel") {
      this.#isCanceled = true;
      this.#canceled.resolve();
    } else {
      this.#newestClaim = Math.max(this.#newestClaim, record.epoch);
    }
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
