import type { NatsConnection } from "@nats-io/transport-node";
import { createBucket, type BucketOptions, type CreatedBucket } from "../bucket/create-bucket.ts";

/** The milliseconds for which a host may be absent. A heartbeat expires earlier, because its entry says so. */
export const maxHostAbsence = 3_600_000;
/** The milliseconds for which the servers keep a marker of a host that expired or left. */
// A copy that was cut off for longer reads everything again, so this only has to be longer than a short delay.
export const hostMarkerAge = 60_000;

/** Creates the bucket of a fleet's hosts unless it exists. */
export async function createHostsBucket(connection: NatsConnection, options: BucketOptions): Promise<CreatedBucket> {
  return await createBucket(connection, "hosts", options, { maxAge: maxHostAbsence, markers: hostMarkerAge });
}
