import { FairleadError } from "@fairlead/contract";
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectToNats, type NatsConnectionOptions } from "../connect-to-nats.ts";
import { retryWhileElecting } from "../retry-while-electing.ts";
import { bucketStream, indexBucketNames } from "./index-buckets.ts";
import { createIndexError } from "./index-error.ts";
import { NatsSessionIndex } from "./nats-session-index.ts";

export interface NatsIndexOptions {
  /** A connection that the caller closes, or how to open one, which the index closes. */
  readonly connection: NatsConnection | NatsConnectionOptions;
  readonly namespace: string;
  /** The version of the rows' content. The index does not have rows of another version. */
  readonly contentVersion: number;
  /**
   * How long a call waits for servers that do not answer before it throws `unavailable`, in milliseconds. Default: 12
   * seconds, because electing a leader after the death of a server takes 5 to 10.
   */
  readonly timeout?: number;
  /**
   * How long queries are answered from the copy in memory while the servers do not answer, in milliseconds. Then they throw
   * `unavailable`. Default: 30 seconds, which is longer than an election.
   */
  readonly staleAfter?: number;
}

const defaultTimeout = 12_000;
const defaultStaleAfter = 30_000;

/** Opens the session index in the buckets of a namespace. `createIndexBuckets` must have created them. */
export async function openNatsIndex(options: NatsIndexOptions): Promise<NatsSessionIndex> {
  const { connection, namespace, contentVersion, timeout = defaultTimeout, staleAfter = defaultStaleAfter } = options;
  await using stack = new AsyncDisposableStack();
  const connected =
    "servers" in connection
      ? stack.adopt(await connectToNats({ name: "fairlead index", ...connection }), (own) => own.close())
      : connection;
  const buckets = indexBucketNames(namespace);
  await assertBuckets(connected, [buckets.sessions, buckets.names], namespace);
  const closing = new AbortController();
  void connected.closed().then(() => closing.abort());
  const resources = stack.move();
  return new NatsSessionIndex({
    connection: connected,
    buckets,
    contentVersion,
    closed: closing.signal,
    timeout,
    staleAfter,
    close: async () => {
      closing.abort();
      await resources.disposeAsync();
    },
  });
}

async function assertBuckets(connection: NatsConnection, buckets: readonly string[], namespace: string): Promise<void> {
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    for (const bucket of buckets) await retryWhileElecting(() => streams.info(bucketStream(bucket)));
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) {
      throw createIndexError("open", error);
    }
    const advice = "Create its buckets with `fairlead fleet init`.";
    throw new FairleadError("invalid-settings", `The servers have no session index of ${namespace}. ${advice}`);
  }
}
