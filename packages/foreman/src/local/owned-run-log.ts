import { FairleadError } from "@fairlead/contract";
import type { EventBatch, Fence, Journal, LogTail } from "@fairlead/journal";
import type { WorkflowClock } from "../workflows/workflow-clock.ts";
import { encodeWorkflowRecord, runLogName, type RunRecord } from "./run-records.ts";

/** Milliseconds between two attempts to write, for example while the disk is full. */
const retryDelay = 250;

/** Writes to the log of a run, which this process owns. */
export class OwnedRunLog {
  readonly epoch: number;
  readonly #log: Journal;
  readonly #run: string;
  readonly #owner: string;
  #last: number;
  #fence: Fence;

  private constructor(log: Journal, run: string, owner: string, tail: LogTail) {
    this.#log = log;
    this.#run = run;
    this.#owner = owner;
    this.epoch = tail.epoch;
    this.#last = tail.last;
    this.#fence = tail.fence;
  }

  /**
   * Claims a run whose log still ends at this tail; returns undefined if it does not. `Journal.claim` would claim it in any
   * case: of two processes that both saw the owner dead, the second would then fence the first, which is alive.
   */
  static async claim(log: Journal, run: string, owner: string, tail: LogTail): Promise<OwnedRunLog | undefined> {
    const session = runLogName(run);
    const claim = { session, epoch: tail.epoch + 1, first: tail.last + 1, events: [], owner };
    try {
      const fence = await log.append(claim, tail.fence);
      return new OwnedRunLog(log, run, owner, { ...tail, epoch: claim.epoch, fence });
    } catch (error) {
      if (FairleadError.is(error, "fenced")) return undefined;
      throw error;
    }
  }

  /** Appends a record. While the log is unavailable, waits and tries again until the signal aborts. */
  async append(record: RunRecord, clock: WorkflowClock, signal: AbortSignal): Promise<void> {
    const { epoch } = this;
    const first = this.#last + 1;
    const events = [encodeWorkflowRecord(record)];
    this.#fence = await this.#write(
      { session: runLogName(this.#run), epoch, first, events, owner: this.#owner },
      clock,
      signal,
    );
    this.#last = first;
  }

  async #write(batch: EventBatch, clock: WorkflowClock, signal: AbortSignal): Promise<Fence> {
    for (;;) {
      try {
        return await this.#log.append(batch, this.#fence);
      } catch (error) {
        if (!FairleadError.is(error, "unavailable") || signal.aborted) throw error;
      }
      // The batch may have been written in spite of the error. A second append with the old fence would then fail.
      const tail = await this.#readTail(clock, signal);
      if (tail.epoch === batch.epoch && tail.last === batch.first) return tail.fence;
    }
  }

  async #readTail(clock: WorkflowClock, signal: AbortSignal): Promise<LogTail> {
    for (;;) {
      await clock.sleep(retryDelay, signal);
      try {
        return await this.#log.tail(runLogName(this.#run));
      } catch (error) {
        if (!FairleadError.is(error, "unavailable") || signal.aborted) throw error;
      }
    }
  }
}
