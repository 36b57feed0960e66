import { FairleadError } from "@fairlead/contract";
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager, StorageType } from "@nats-io/jetstream";
import { Kvm, type KvOptions } from "@nats-io/kv";
import { nanos, type NatsConnection } from "@nats-io/transport-node";
import { retryWhileElecting } from "../retry-while-electing.ts";
import { BucketName, type BucketKind } from "./bucket-name.ts";

export interface BucketOptions {
  readonly namespace: string;
  /** The number of servers that store each entry: 3, or 1 on the single server of a test. */
  readonly replicas: number;
}

export interface CreatedBucket {
  /** The name of the stream that has the bucket's entries. */
  readonly stream: string;
  /** False if it was there, with the same settings. */
  readonly isCreated: boolean;
}

/** The milliseconds after which entries expire at the latest, and for which the servers keep a marker of one that expired. */
export interface BucketExpiry {
  readonly maxAge: number;
  readonly markers: number;
}

/** Creates a bucket unless it exists. Throws `conflict` if it exists with settings that differ in what processes rely on. */
export async function createBucket(
  connection: NatsConnection,
  kind: BucketKind,
  { namespace, replicas }: BucketOptions,
  expiry?: BucketExpiry,
): Promise<CreatedBucket> {
  const name = new BucketName(namespace, kind);
  const options: Partial<KvOptions> = {
    description: `The ${kind} of Fairlead.`,
    replicas,
    history: 1,
    storage: StorageType.File,
    // A plain subscription on the live subjects costs the servers less than a consumer, and survives the loss of a server.
    republish: { src: name.subjectOf(">"), dest: name.liveSubjectOf(">") },
    // Without markers, the servers would publish nothing when an entry expires.
    ...(expiry && { ttl: expiry.maxAge, markerTTL: expiry.markers }),
  };
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 10_000 });
  const isFound = await retryWhileElecting(() => manager.streams.info(name.stream)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return false;
      throw error;
    },
  );
  // It may be sent twice, by this process or by another one: a bucket that exists with the same settings is a success.
  const bucket = await retryWhileElecting(() => new Kvm(connection).create(name.bucket, options));
  const { config } = (await retryWhileElecting(() => bucket.status())).streamInfo;
  const compared: readonly (readonly [string, unknown, unknown])[] = [
    ["num_replicas", config.num_replicas, replicas],
    ["storage", config.storage, StorageType.File],
    ["max_age", config.max_age, expiry === undefined ? 0 : nanos(expiry.maxAge)],
    // Entries that expire earlier say so.
    ["allow_msg_ttl", config.allow_msg_ttl ?? false, expiry !== undefined],
    ["max_msgs_per_subject", config.max_msgs_per_subject, 1],
    ["subject_delete_marker_ttl", config.subject_delete_marker_ttl ?? 0, nanos(expiry?.markers ?? 0)],
    ["republish.src", config.republish?.src, options.republish?.src],
    ["republish.dest", config.republish?.dest, options.republish?.dest],
  ];
  const differences = compared.flatMap(([key, found, wanted]) =>
    found === wanted ? [] : [`${key} ${String(found)} instead of ${String(wanted)}`],
  );
  if (differences.length > 0) {
    const advice = "Correct these settings, or choose another namespace.";
    throw new FairleadError("conflict", `The stream ${name.stream} exists with ${differences.join(", ")}. ${advice}`);
  }
  return { stream: name.stream, isCreated: !isFound };
}
