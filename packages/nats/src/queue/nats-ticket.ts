import { FairleadError } from "@fairlead/contract";
import type { Job, Ticket } from "@fairlead/engine";
import type { Msg } from "@nats-io/transport-node";
import type { OpenRecord } from "./job-record.ts";
import type { JobRecords } from "./job-records.ts";

export interface NatsTicketOptions {
  readonly records: JobRecords;
  readonly message: Msg;
  readonly record: OpenRecord & { readonly taken: NonNullable<OpenRecord["taken"]> };
  /** The revision of the record that names this taker. Any other revision means that the taker has lost the job. */
  readonly revision: number;
  readonly lease: number;
  /** When the server began the lease at the earliest. */
  readonly leasedAt: number;
}

const ackTimeout = 3_000;
// The acknowledgment that returns a job does not name a taker. If it reached the server after the lease, it would return the
// job of the next taker, so that late in the lease the job is left to expire.
const returnableShare = 0.8;

/** A job that was taken from NATS. The record of its key, and not the consumer, decides which taker has it. */
export class NatsTicket implements Ticket {
  readonly key: string;
  readonly job: Job;
  readonly attempt: number;
  readonly lease: number;
  readonly #options: NatsTicketOptions;
  readonly #taker: string;
  #leasedAt: number;
  #hasEnded = false;

  constructor(options: NatsTicketOptions) {
    const { key, kind, params, taken } = options.record;
    this.key = key;
    this.job = { kind, params };
    this.attempt = taken.attempt;
    this.lease = options.lease;
    this.#options = options;
    this.#taker = taken.taker;
    this.#leasedAt = options.leasedAt;
  }

  async extend(): Promise<void> {
    this.#assertHeld();
    const { records } = this.#options;
    let sentAt = 0;
    // The consumer first: a taker that gets the job before it has extended the lease shows in the record.
    await records.requests.retry("extend a lease", () => {
      sentAt = performance.now();
      return this.#acknowledge("+WPI");
    });
    // If the lease was over, the consumer yields the job to the next taker that asks, and extending it has no effect.
    if (performance.now() - this.#leasedAt > this.lease || !(await this.#isHeld())) throw this.#lose();
    this.#leasedAt = sentAt;
  }

  async done(outcome: unknown): Promise<void> {
    this.#assertHeld();
    const { records, revision } = this.#options;
    const ended = await records.write({ state: "ended", key: this.key, taker: this.#taker, outcome }, revision);
    if (ended === undefined) throw this.#lose();
    this.#hasEnded = true;
    // If it is lost, the next taker finds the outcome and acknowledges.
    await this.#acknowledge("+ACK").catch(() => {});
  }

  /** Returns the job. If the servers cannot be reached, the lease expires instead. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const isEarly = (): boolean => performance.now() - this.#leasedAt < returnableShare * this.lease;
    try {
      if (isEarly() && (await this.#isHeld()) && isEarly()) await this.#acknowledge("-NAK");
    } catch {
      // The servers or the engine are closed.
    }
  }

  async #isHeld(): Promise<boolean> {
    const { records, revision } = this.#options;
    return (await records.read(this.key))?.revision === revision;
  }

  /** Sends an acknowledgment and waits until the consumer has it. */
  async #acknowledge(text: string): Promise<void> {
    const { message, records } = this.#options;
    await records.requests.connection.request(message.reply ?? "", text, { timeout: ackTimeout });
  }

  #assertHeld(): void {
    this.#options.records.requests.assertOpen();
    if (this.#hasEnded) throw this.#createConflict();
  }

  #lose(): FairleadError {
    this.#hasEnded = true;
    return this.#createConflict();
  }

  #createConflict(): FairleadError {
    const message = `The job with the key "${this.key.slice(0, 40)}" has ended, was returned, or another taker has it.`;
    return new FairleadError("conflict", message);
  }
}
