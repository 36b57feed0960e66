import { FairleadError, startTimer } from "@fairlead/contract";
import type { Job, Ticket } from "../work-queue.ts";

/** What a ticket needs of the queue that issued it. */
export interface TicketOwner {
  readonly key: string;
  readonly job: Job;
  readonly attempt: number;
  readonly lease: number;
  /** Returns the job to the queue. */
  readonly release: () => void;
  readonly end: (outcome: unknown) => void;
}

/** A ticket with a timer. The taker has the job until the ticket is disposed, done or expired. */
export class LocalTicket implements Ticket {
  readonly #owner: TicketOwner;
  #timer: Disposable;
  /** Why the taker no longer has the job. */
  #refusal: FairleadError | undefined;

  constructor(owner: TicketOwner) {
    this.#owner = owner;
    this.#timer = this.#startTimer();
  }

  get key(): string {
    return this.#owner.key;
  }

  get job(): Job {
    return this.#owner.job;
  }

  get attempt(): number {
    return this.#owner.attempt;
  }

  get lease(): number {
    return this.#owner.lease;
  }

  async extend(): Promise<void> {
    this.#assertHeld();
    this.#timer[Symbol.dispose]();
    this.#timer = this.#startTimer();
  }

  async done(outcome: unknown): Promise<void> {
    this.#assertHeld();
    this.close(this.#createConflict());
    this.#owner.end(outcome);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#release();
  }

  /** Makes all further calls throw. It has no effect on the job. */
  close(refusal: FairleadError): void {
    this.#refusal ??= refusal;
    this.#timer[Symbol.dispose]();
  }

  readonly #release = (): void => {
    if (this.#refusal !== undefined) return;
    this.close(this.#createConflict());
    this.#owner.release();
  };

  #startTimer(): Disposable {
    return startTimer(this.#owner.lease, this.#release, { background: true });
  }

  #assertHeld(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #createConflict(): FairleadError {
    return new FairleadError("conflict", `This taker no longer has job ${this.key}: it has ended, or another has it.`);
  }
}
