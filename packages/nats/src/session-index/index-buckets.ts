import { FairleadError } from "@fairlead/contract";
import { jetstream, jetstreamManager, JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { StorageType, type StreamConfig } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { retryWhileElecting } from "../retry-while-electing.ts";

/** The names of the buckets of a session index. */
export interface IndexBucketNames {
  /** A row per session. */
  readonly sessions: string;
  /** A holder per name, and the position of the index. */
  readonly names: string;
}

export interface IndexBucketOptions {
  readonly namespace: string;
  /** The number of servers that store each row: 3, or 1 on the single server of a test. */
  readonly replicas: number;
}

/** The names of an index's buckets. */
export interface IndexBuckets {
  /** Created now. */
  readonly created: readonly string[];
  /** They were there, with the same settings. */
  readonly kept: readonly string[];
}

export function indexBucketNames(namespace: string): IndexBucketNames {
  return { sessions: `${namespace}_sessions`, names: `${namespace}_names` };
}

/** The stream that has the values of a bucket. */
export function bucketStream(bucket: string): string {
  return `KV_${bucket}`;
}

/**
 * Creates the buckets of a session index that do not exist. Throws `conflict` if one exists with settings that could lose
 * rows or keep removed ones readable.
 */
export async function createIndexBuckets(
  connection: NatsConnection,
  { namespace, replicas }: IndexBucketOptions,
): Promise<IndexBuckets> {
  const { streams } = await jetstreamManager(connection, { timeout: 10_000 });
  const kvm = new Kvm(jetstream(connection, { timeout: 10_000 }));
  const { sessions, names } = indexBucketNames(namespace);
  const created: string[] = [];
  const kept: string[] = [];
  for (const bucket of [sessions, names]) {
    const find = async (): Promise<StreamConfig | undefined> => {
      try {
        return (await streams.info(bucketStream(bucket))).config;
      } catch (error) {
        if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
        throw error;
      }
    };
    const existing = await retryWhileElecting(find);
    if (existing === undefined) {
      const description = bucket === sessions ? "Rows of Fairlead's sessions." : "Names of Fairlead's sessions.";
      // It may be sent twice: a bucket that exists is a success.
      await retryWhileElecting(() => kvm.create(bucket, { history: 1, replicas, description }));
      created.push(bucket);
    } else {
      refuseOtherBucket(existing, replicas);
      kept.push(bucket);
    }
  }
  return { created, kept };
}

function refuseOtherBucket(config: StreamConfig, replicas: number): void {
  const wanted: Partial<StreamConfig> = {
    num_replicas: replicas,
    // More would keep the content of removed sessions' earlier rows.
    max_msgs_per_subject: 1,
    storage: StorageType.File,
    max_age: 0,
    allow_rollup_hdrs: true,
  };
  const differences = Object.entries(wanted).flatMap(([key, value]) => {
    const found = (config as unknown as Readonly<Record<string, unknown>>)[key] ?? (key === "max_age" ? 0 : undefined);
    return found === value ? [] : [`${key} ${JSON.stringify(found)} instead of ${JSON.stringify(value)}`];
  });
  if (differences.length === 0) return;
  throw new FairleadError(
    "conflict",
    `The stream ${config.name} exists with ${differences.join(", ")}. Correct these settings, choose another namespace, ` +
      "or remove it: the index is then rebuilt from the log.",
  );
}
