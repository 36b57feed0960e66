import type { Job, Ticket, WorkQueue } from "@fairlead/engine";
import { FairleadError } from "@fairlead/contract";
import type { NatsConnection } from "@nats-io/transport-node";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { JobRecords } from "./job-records.ts";
import { openPoolConsumer } from "./pool-consumer.ts";
import { pullMessage } from "./pull-message.ts";
import { QueueLayout } from "./queue-layout.ts";
import { isLasting, StreamRequests } from "./stream-requests.ts";
import { takeDelivery } from "./take-delivery.ts";
import { waitForOutcome } from "./wait-for-outcome.ts";

export interface NatsWorkQueueOptions {
  /** A connection that the caller closes. */
  readonly connection: NatsConnection;
  readonly namespace: string;
  /** Milliseconds after which another taker gets a job, for pools that no taker has used before. Default: 30 seconds. */
  readonly lease?: number;
  /** How long a call waits for servers that do not answer, in milliseconds. Default: 15 seconds. */
  readonly timeout?: number;
}

const defaultLeaseMs = 30_000;
const pauseMs = 250;

/**
 * A work queue in two streams. One has a record per key: compare-and-set on it decides which job was put first, which taker
 * has it, and what its outcome is. The other one has a message for each job that has not ended, and hands it to one taker at a
 * time. `createQueueStreams` must have created the streams.
 */
export class NatsWorkQueue implements WorkQueue, AsyncDisposable {
  readonly #requests: StreamRequests;
  readonly #records: JobRecords;
  readonly #lease: number;
  /** The leases of the pools whose consumers exist. */
  readonly #leases = new Map<string, number>();

  constructor({ connection, namespace, lease = defaultLeaseMs, timeout }: NatsWorkQueueOptions) {
    this.#requests = new StreamRequests(connection, timeout);
    this.#records = new JobRecords(this.#requests, new QueueLayout(namespace));
    this.#lease = lease;
  }

  async put(pool: string, job: Job, key: string, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    this.#requests.assertOpen();
    const { kind, params } = job;
    return await waitForOutcome(this.#records, { state: "open", id: randomUUID(), key, pool, kind, params }, signal);
  }

  async *take(pool: string, signal: AbortSignal): AsyncGenerator<Ticket> {
    const stop = AbortSignal.any([signal, this.#requests.closed]);
    for (;;) {
      if (signal.aborted) return;
      this.#requests.assertOpen();
      const ticket = await this.#takeNext(pool, stop).catch((error: unknown) => {
        // A record that cannot be read comes again after its lease. The other jobs of the pool must not wait for it.
        if (!stop.aborted && (!FairleadError.isInstance(error) || isLasting(error.cause))) throw error;
      });
      if (ticket === undefined) continue;
      if (signal.aborted) await ticket[Symbol.asyncDispose]();
      else yield ticket;
    }
  }

  async countOpen(): Promise<number> {
    this.#requests.assertOpen();
    const call = `STREAM.INFO.${this.#records.layout.jobs}`;
    const { state } = await this.#requests.call<{ readonly state: { readonly messages: number } }>(
      "count the jobs",
      call,
      {},
    );
    return state.messages;
  }

  /** Returns undefined if the caller must ask again. */
  async #takeNext(pool: string, stop: AbortSignal): Promise<Ticket | undefined> {
    const { layout } = this.#records;
    const source = { stream: layout.jobs, consumer: layout.consumerOf(pool) };
    let lease = this.#leases.get(pool);
    if (lease === undefined) {
      lease = await openPoolConsumer(this.#requests, layout, { pool, lease: this.#lease, signal: stop });
      this.#leases.set(pool, lease);
    }
    const pulled = await pullMessage(this.#requests, source, stop);
    if (typeof pulled === "object") return await takeDelivery(this.#records, pulled.message, { lease, signal: stop });
    if (pulled !== "failed") return undefined;
    // The consumer may be gone.
    this.#leases.delete(pool);
    await delay(pauseMs, undefined, { signal: stop }).catch(() => {});
    return undefined;
  }

  /** Rejects all calls, and ends all iterations with an error. The jobs of tickets are yielded again after their lease. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#requests[Symbol.dispose]();
  }
}
