import { FairleadError, type Delta, type EventDraft, type Event, type SpoolRecord } from "@fairlead/contract";
import { lastSequenceOf, type Claim, type EventLog, type LogTail } from "@fairlead/journal";
import { encodeRecord } from "@fairlead/keeper";
import { sleep, type Clock } from "./clock.ts";
import { OutputMasker } from "../masks/output-masker.ts";
import { encodeEvents } from "./stored-events.ts";
import { retryDelay, retryUntil } from "./retry-until.ts";

export interface JournalWriterOptions {
  readonly session: string;
  readonly owner: string;
  readonly claim: Claim;
  readonly log: EventLog;
  readonly clock: Clock;
  /** Receives each event once it is durable. Must not throw. */
  readonly onJournaled?: (event: Event) => void;
}

/** Appends the events of one owner: assigns sequence numbers, and keeps a batch until it is durable. */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #masker = new OutputMasker();
  #lastSequence: number;
  #fence: bigint;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
    this.#lastSequence = options.claim.last;
    this.#fence = options.claim.fence;
  }

  /** The epoch of the claim under which it appends. */
  get epoch(): number {
    return this.#options.claim.epoch;
  }

  /** The sequence number of the newest event. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /**
   * Returns the commands among the records as the log stores them, so that each is in the log before it is carried out and
   * another host can carry out the rest. A process that attaches after a crash may store the newest ones again: their spool
   * numbers are equal. Empty if the log stores none, as that of one machine: there the spool has them.
   */
  encodeNotes(records: readonly SpoolRecord[]): Uint8Array[] {
    if (!this.#options.log.carriesNotes) return [];
    return records.filter(({ kind }) => kind === "note").map((record) => encodeRecord(record, 0n));
  }

  /**
   * Appends the events among the outputs, and notes. Returns all outputs, with numbered events and without credentials. While the
   * journal is unavailable, waits and retries, so that no event is lost. Throws `fenced` if another owner has claimed the
   * session. Once the signal aborts, throws the error of the next failure.
   */
  async append(
    outputs: readonly (EventDraft | Delta)[],
    signal: AbortSignal,
    notes: readonly Uint8Array[] = [],
  ): Promise<(Event | Delta)[]> {
    const { session, claim, owner, onJournaled } = this.#options;
    const first = this.#lastSequence + 1;
    let sequence = this.#lastSequence;
    const numbered = this.#masker
      .mask(outputs)
      .map((output) => (isEvent(output) ? { ...output, sequence: ++sequence, epoch: claim.epoch } : output));
    const events = encodeEvents(numbered.filter(isEvent));
    if (events.length === 0 && notes.length === 0) return numbered;
    const batch = { session, epoch: claim.epoch, first, events, owner, ...(notes.length > 0 && { notes }) };
    this.#fence = await this.#appendBatch(batch, signal);
    this.#lastSequence = lastSequenceOf(batch);
    if (onJournaled) for (const output of numbered) if (isEvent(output)) onJournaled(output);
    return numbered;
  }

  /** Returns a `fenced` error if another owner has claimed the session, otherwise null. */
  async findFencingError(): Promise<FairleadError | null> {
    const { log, session, claim } = this.#options;
    const { epoch } = await log.tail(session);
    return epoch === claim.epoch ? null : new FairleadError("fenced", `Another process drives session ${session} now.`);
  }

  async #appendBatch(batch: Parameters<EventLog["append"]>[0], signal: AbortSignal): Promise<bigint> {
    const { log } = this.#options;
    for (let isResent = false; ; isResent = true) {
      try {
        return await log.append(batch, this.#fence);
      } catch (error) {
        // A batch that was sent over a network may arrive after the tail was read. It then takes the place of its own
        // resend, which the log refuses.
        const isRefusedResend = isResent && FairleadError.is(error, "fenced");
        if (!(isRefusedResend || FairleadError.is(error, "unavailable")) || signal.aborted) throw error;
        // The batch may have been written in spite of the error. Only the tail shows that; if it was, a second append
        // with the old fence would fence this writer off. In this epoch nothing else is written, so that a new fence is
        // that of the batch.
        const tail = await this.#readTail(signal);
        if (tail.epoch === batch.epoch && tail.fence !== this.#fence) return tail.fence;
        if (isRefusedResend) throw error;
      }
    }
  }

  async #readTail(signal: AbortSignal): Promise<LogTail> {
    const { log, clock, session } = this.#options;
    await sleep(clock, retryDelay, signal);
    const isTransient = (error: unknown): boolean => FairleadError.is(error, "unavailable");
    return await retryUntil(() => log.tail(session), { clock, signal, isTransient });
  }
}

/** Whether an output is an event, which is stored, and not a delta. */
export function isEvent<Output extends EventDraft>(output: Output | Delta): output is Output {
  return "body" in output;
}
