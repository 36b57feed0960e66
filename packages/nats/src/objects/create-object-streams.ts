import { DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetStreams } from "../cluster/create-streams.ts";
import { createMissingStreams, type PartStreamOptions } from "../queue/create-missing-streams.ts";
import { ObjectLayout } from "./object-layout.ts";

/** Creates the streams of the object store that do not exist. */
export async function createObjectStreams(
  connection: NatsConnection,
  { namespace, replicas }: PartStreamOptions,
): Promise<FleetStreams> {
  const layout = new ObjectLayout(namespace);
  const common = {
    storage: StorageType.File,
    num_replicas: replicas,
    retention: RetentionPolicy.Limits,
    // If a limit of the account is reached, the server must refuse new messages, and not drop old ones.
    discard: DiscardPolicy.New,
    allow_direct: true,
    deny_delete: true,
    // To remove an object is to purge its subjects.
    deny_purge: false,
  };
  return await createMissingStreams(connection, [
    {
      ...common,
      name: layout.chunks,
      description: "The bytes of Fairlead's objects. Each subject has the chunks of one object.",
      subjects: [layout.allChunks],
    },
    {
      ...common,
      name: layout.objects,
      description: "Fairlead's objects. Each subject has the record of one key, which names the chunks.",
      subjects: [layout.allObjects],
      max_msgs_per_subject: 1,
    },
  ]);
}
