import type { NatsConnection } from "@nats-io/transport-node";
import type { CreatedBucket } from "../bucket/create-bucket.ts";
import { createHostsBucket } from "../hosts/create-hosts-bucket.ts";
import { createObjectStreams } from "../objects/create-object-streams.ts";
import { createQueueStreams } from "../queue/create-queue-streams.ts";
import { bucketStream, createIndexBuckets } from "../session-index/index-buckets.ts";
import { createTokensBucket } from "../tokens/create-tokens-bucket.ts";
import { createFleetStreams, type FleetStreamOptions, type FleetStreams } from "./create-streams.ts";

/**
 * Creates all streams of a fleet that do not exist: those of the log, the index, the hosts, the tokens, the queue and the
 * objects. The log comes first: it refuses a namespace whose streams are lost in part. Doing it again changes nothing.
 */
export async function createFleetStorage(
  connection: NatsConnection,
  options: FleetStreamOptions,
): Promise<FleetStreams> {
  const parts: FleetStreams[] = [await createFleetStreams(connection, options)];
  const { namespace, replicas } = options;
  const common = { namespace, replicas };
  const index = await createIndexBuckets(connection, common);
  parts.push({ created: index.created.map(bucketStream), kept: index.kept.map(bucketStream) });
  for (const create of [createHostsBucket, createTokensBucket]) parts.push(toStreams(await create(connection, common)));
  for (const create of [createQueueStreams, createObjectStreams]) parts.push(await create(connection, common));
  return { created: parts.flatMap(({ created }) => created), kept: parts.flatMap(({ kept }) => kept) };
}

function toStreams({ stream, isCreated }: CreatedBucket): FleetStreams {
  return isCreated ? { created: [stream], kept: [] } : { created: [], kept: [stream] };
}
