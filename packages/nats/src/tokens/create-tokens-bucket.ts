import type { NatsConnection } from "@nats-io/transport-node";
import { createBucket, type BucketOptions, type CreatedBucket } from "../bucket/create-bucket.ts";

/** Creates the bucket of a fleet's access tokens unless it exists. Its entries do not expire. */
export async function createTokensBucket(connection: NatsConnection, options: BucketOptions): Promise<CreatedBucket> {
  return await createBucket(connection, "tokens", options);
}
