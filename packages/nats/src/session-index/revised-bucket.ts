import { FairleadError } from "@fairlead/contract";
import { JetStreamApiError, jetstream } from "@nats-io/jetstream";
import { Kvm, type KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { setTimeout as delay } from "node:timers/promises";
import { createIndexError, isLastingIndexFailure } from "./index-error.ts";

/** The value of a key, undefined if it has none, and the revision to expect in a compare-and-set. 0: it never had one. */
export interface RevisedValue<Value> {
  readonly revision: number;
  readonly value: Value | undefined;
}

export interface KeyUpdate<Value> {
  readonly decode: (data: Uint8Array) => Value;
  /** Returns the new value; null to remove the key; undefined to leave it. May be called several times. */
  readonly change: (
    current: RevisedValue<Value>,
  ) => Uint8Array | null | undefined | Promise<Uint8Array | null | undefined>;
  /** What the key may have. If it is right, the update costs one round trip. */
  readonly guess?: RevisedValue<Value> | undefined;
}

export interface UpdatedKey {
  readonly revision: number;
  readonly isChanged: boolean;
}

export interface RevisedBucketOptions {
  readonly connection: NatsConnection;
  readonly bucket: string;
  /** Aborts when the index or its connection is closed. */
  readonly closed: AbortSignal;
  /** How long a call waits for servers that do not answer, in milliseconds. */
  readonly timeout: number;
}

const requestTimeout = 2_000;
const wrongLastSequenceCodes = [10071, 10164, 10158];
/** What the headers and the subject of a message may take. */
const messageOverhead = 4_096;

/** A bucket of JetStream whose values are read from its leader and replaced by compare-and-set. */
export class RevisedBucket {
  readonly bucket: string;
  readonly #connection: NatsConnection;
  readonly #closed: AbortSignal;
  readonly #timeout: number;
  #opened: Promise<KV> | undefined;

  constructor({ connection, bucket, closed, timeout }: RevisedBucketOptions) {
    this.bucket = bucket;
    this.#connection = connection;
    this.#closed = closed;
    this.#timeout = timeout;
  }

  /** Reads the newest value of a key. `patience` replaces the time that a call waits for servers. */
  async read<Value>(
    key: string,
    decode: (data: Uint8Array) => Value,
    patience = this.#timeout,
  ): Promise<RevisedValue<Value>> {
    const entry = await this.#retry("read", patience, async () => (await this.#store()).get(key));
    const { revision = 0, operation, value } = entry ?? {};
    return { revision, value: value === undefined || operation !== "PUT" ? undefined : decode(value) };
  }

  /** Replaces the value of a key by compare-and-set, until that succeeds or the change has nothing to write. */
  async update<Value>(key: string, { decode, change, guess }: KeyUpdate<Value>): Promise<UpdatedKey> {
    const end = performance.now() + this.#timeout;
    let isGuess = guess !== undefined;
    let current = guess ?? (await this.read(key, decode));
    for (let pause = 0; ; pause = Math.min(2 * pause + 5, 500)) {
      const next = await change(current);
      if (next === undefined) {
        if (!isGuess) return { revision: current.revision, isChanged: false };
      } else {
        const sent = await this.#send(key, next, current.revision);
        if (sent.kind === "stored") return { revision: sent.revision, isChanged: true };
        if (sent.kind === "unknown" && (performance.now() > end || isLastingIndexFailure(sent.reason))) {
          throw createIndexError("write", sent.reason);
        }
        // A guess is often wrong. After anything else, servers that elect a leader must not get many requests.
        if (!isGuess) await delay(pause, undefined, { signal: this.#closed }).catch(() => {});
      }
      // A sending without an answer may have been stored, and servers also refuse right ones. What is there now decides.
      current = await this.read(key, decode);
      isGuess = false;
    }
  }

  async #send(key: string, data: Uint8Array | null, expected: number): Promise<SendOutcome> {
    this.#refuseTooLarge(data);
    if (this.#closed.aborted) throw createIndexError("write");
    try {
      const store = await this.#store();
      if (data !== null) {
        const revision = await store.put(key, data, { previousSeq: expected, timeout: requestTimeout });
        return { kind: "stored", revision };
      }
      await store.purge(key, { previousSeq: expected });
      // The client does not return the revision of the marker.
      return { kind: "unknown", reason: new Error("the key was not removed") };
    } catch (reason) {
      const isRefused = reason instanceof JetStreamApiError && wrongLastSequenceCodes.includes(reason.code);
      return { kind: isRefused ? "refused" : "unknown", reason };
    }
  }

  #refuseTooLarge(data: Uint8Array | null): void {
    const limit = (this.#connection.info?.max_payload ?? Infinity) - messageOverhead;
    if (data === null || data.byteLength <= limit) return;
    throw new FairleadError(
      "too-large",
      `A row of the session index has ${data.byteLength} bytes, and the servers accept at most ${limit}: raise \`max_payload\`.`,
    );
  }

  async #store(): Promise<KV> {
    // Without direct reads: those may come from a server that does not have the newest value yet.
    const opening = (this.#opened ??= new Kvm(jetstream(this.#connection, { timeout: requestTimeout })).open(
      this.bucket,
      { allow_direct: false },
    ));
    opening.catch(() => (this.#opened = undefined));
    return await opening;
  }

  async #retry<Result>(action: string, patience: number, attempt: () => Promise<Result>): Promise<Result> {
    const end = performance.now() + patience;
    for (let pause = 10; ; pause = Math.min(2 * pause, 500)) {
      if (this.#closed.aborted) throw createIndexError(action);
      try {
        return await attempt();
      } catch (error) {
        if (this.#closed.aborted || performance.now() > end || isLastingIndexFailure(error)) {
          throw createIndexError(action, error);
        }
      }
      await delay(pause, undefined, { signal: this.#closed }).catch(() => {});
    }
  }
}

type SendOutcome =
  | { readonly kind: "stored"; readonly revision: number }
  /** The compare-and-set failed. This sending has stored nothing. */
  | { readonly kind: "refused"; readonly reason: unknown }
  /** The value may be stored. */
  | { readonly kind: "unknown"; readonly reason: unknown };
