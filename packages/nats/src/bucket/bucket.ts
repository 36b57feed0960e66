import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import {
  JetStreamApiCodes,
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  type JetStreamClient,
  type JetStreamManager,
  type StoredMsg,
} from "@nats-io/jetstream";
import { headers, PermissionViolationError, type NatsConnection } from "@nats-io/transport-node";
import { expiryHeader, operationHeader, toBucketEntry, writeIdHeader, type BucketEntry } from "./bucket-entry.ts";
import { BucketName, type BucketKind } from "./bucket-name.ts";

export interface OpenBucketOptions {
  /** The caller closes it. */
  readonly connection: NatsConnection;
  readonly namespace: string;
  /**
   * How long a call waits for servers that do not answer before it throws `unavailable`, in milliseconds. Default: 12
   * seconds, because electing a leader after the death of a server takes 5 to 10.
   */
  readonly timeout?: number;
}

export interface BucketWrite {
  readonly key: string;
  /** Null deletes the entry. */
  readonly value: Uint8Array | null;
  /** The revision of the key's newest entry, or 0 for a key without one. */
  readonly expected: number;
  /** The milliseconds after which the servers remove the entry, rounded up to seconds. Default: as long as the bucket permits. */
  readonly expiry?: number;
  readonly signal?: AbortSignal;
}

/** `refused` if the key has another revision than expected. `last` is its newest entry. */
export type WriteOutcome =
  /** `startedAt` is before the servers stored the entry, by `process.hrtime.bigint()`. */
  | { readonly kind: "written"; readonly revision: number; readonly startedAt: bigint }
  | { readonly kind: "refused"; readonly last: BucketEntry | undefined };

export interface BucketState {
  /** Identifies the stream: one that was deleted and created again has another time. */
  readonly created: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The milliseconds after which every entry expires at the latest, or 0. */
  readonly maxAge: number;
}

const defaultTimeout = 12_000;
const requestTimeout = 2_000;

/** The entries of a key-value bucket, as the leader of its stream has them: a replica may lag behind. */
export class Bucket {
  readonly connection: NatsConnection;
  readonly name: BucketName;
  /** Aborts when the connection is closed and will not reconnect. */
  readonly closed: AbortSignal;
  readonly timeout: number;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;

  private constructor(options: OpenBucketOptions, name: BucketName, manager: JetStreamManager) {
    this.connection = options.connection;
    this.name = name;
    this.timeout = options.timeout ?? defaultTimeout;
    this.#client = jetstream(options.connection);
    this.#manager = manager;
    const closing = new AbortController();
    this.closed = closing.signal;
    void options.connection.closed().then(() => closing.abort());
  }

  /** Opens a bucket that `fairlead fleet init` has created. Waits while the servers elect a leader. */
  static async open(kind: BucketKind, options: OpenBucketOptions): Promise<Bucket> {
    const manager = await jetstreamManager(options.connection, { checkAPI: false, timeout: requestTimeout });
    const bucket = new Bucket(options, new BucketName(options.namespace, kind), manager);
    await bucket.readState().catch((error: unknown) => {
      if (!isStreamMissing((error as Error).cause)) throw error;
      const message = `The servers have no ${kind} for the namespace ${options.namespace}.`;
      throw new FairleadError("invalid-settings", `${message} Create the streams with \`fairlead fleet init\`.`);
    });
    return bucket;
  }

  async readState(): Promise<BucketState> {
    return await this.#retry("be read", () => this.readStateOnce());
  }

  /** Reads the state without repeating the request while the servers elect a leader. */
  async readStateOnce(): Promise<BucketState> {
    const { created, state, config } = await this.#manager.streams.info(this.name.stream);
    const maxAge = config.max_age / 1e6;
    return { created, firstSequence: state.first_seq, lastSequence: state.last_seq, maxAge };
  }

  /** Returns the newest entry of a key. */
  async readLast(key: string): Promise<BucketEntry | undefined> {
    return await this.#retry("be read", () => this.#readLastOnce(key));
  }

  /** Returns the first entry at a sequence or after it. Entries that were overwritten are not there. */
  async readNext(sequence: number): Promise<BucketEntry | undefined> {
    const query = { seq: Math.max(1, sequence), next_by_subj: this.name.subjectOf(">") };
    return this.#toEntry(await this.#manager.streams.getMessage(this.name.stream, query));
  }

  /**
   * Writes an entry if the key has the expected revision. A refusal, a lost answer or a lost connection proves nothing: the
   * servers refuse valid writes at times. Only the key's newest entry decides then.
   */
  async write({ key, value, expected, expiry, signal }: BucketWrite): Promise<WriteOutcome> {
    const writeId = randomUUID();
    const head = headers();
    head.set(writeIdHeader, writeId);
    head.set("Nats-Expected-Last-Subject-Sequence", String(expected));
    if (value === null) head.set(operationHeader, "DEL");
    if (expiry !== undefined) head.set(expiryHeader, `${Math.ceil(expiry / 1000)}s`);
    let firstStartedAt: bigint | undefined;
    const attempt = async (): Promise<WriteOutcome> => {
      const startedAt = process.hrtime.bigint();
      firstStartedAt ??= startedAt;
      try {
        const options = { headers: head, timeout: requestTimeout };
        const { seq } = await this.#client.publish(this.name.subjectOf(key), value ?? new Uint8Array(), options);
        // An entry that an earlier attempt stored would have refused this one.
        return { kind: "written", revision: seq, startedAt };
      } catch (error) {
        if (this.closed.aborted || isLastingFailure(error)) throw error;
        const last = await this.#readLastOnce(key);
        if (last?.writeId === writeId) return { kind: "written", revision: last.revision, startedAt: firstStartedAt };
        if ((last?.revision ?? 0) === expected) throw error;
        return { kind: "refused", last };
      }
    };
    return await this.#retry("be written", attempt, signal);
  }

  async #readLastOnce(key: string): Promise<BucketEntry | undefined> {
    const query = { last_by_subj: this.name.subjectOf(key) };
    return this.#toEntry(await this.#manager.streams.getMessage(this.name.stream, query));
  }

  #toEntry(message: StoredMsg | null): BucketEntry | undefined {
    if (message === null) return undefined;
    const { subject, seq: sequence, header, data } = message;
    return toBucketEntry(this.name, { subject, sequence, headers: header, data });
  }

  /** Repeats a request that may be repeated, until it succeeds, the time is over or the signal aborts. */
  async #retry<Result>(action: string, attempt: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const end = performance.now() + this.timeout;
    for (let pause = 20; ; pause = Math.min(2 * pause, 500)) {
      signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        signal?.throwIfAborted();
        const isOver = this.closed.aborted || performance.now() > end || isLastingFailure(error);
        if (isOver) throw this.createUnavailableError(action, error);
      }
      const stop = signal === undefined ? this.closed : AbortSignal.any([signal, this.closed]);
      await delay(pause, undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Creates the error for a bucket that cannot be reached. */
  createUnavailableError(action: string, cause?: unknown): FairleadError {
    const reason = cause instanceof Error ? cause.message : "the connection is closed";
    return new FairleadError("unavailable", `The bucket ${this.name.bucket} on NATS cannot ${action}: ${reason}.`, {
      cause,
    });
  }
}

function isStreamMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

/** Whether a request fails again if it is repeated: a permission or the stream is missing. */
function isLastingFailure(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const isDenied = error instanceof PermissionViolationError || cause instanceof PermissionViolationError;
  return isDenied || isStreamMissing(error);
}
