import { DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetStreams } from "../cluster/create-streams.ts";
import { createMissingStreams, type PartStreamOptions } from "./create-missing-streams.ts";
import { QueueLayout } from "./queue-layout.ts";

/** Creates the streams of the work queue that do not exist. */
export async function createQueueStreams(
  connection: NatsConnection,
  { namespace, replicas }: PartStreamOptions,
): Promise<FleetStreams> {
  const layout = new QueueLayout(namespace);
  const common = {
    storage: StorageType.File,
    num_replicas: replicas,
    // If a limit of the account is reached, the server must refuse new messages, and not drop old ones.
    discard: DiscardPolicy.New,
    deny_delete: true,
  };
  return await createMissingStreams(connection, [
    {
      ...common,
      name: layout.outcomes,
      description: "Fairlead's jobs and their outcomes. Each subject has the newest record of one key.",
      subjects: [layout.allOutcomes],
      retention: RetentionPolicy.Limits,
      max_msgs_per_subject: 1,
      // An outcome has a lifetime. The record of a job that has not ended has none.
      allow_msg_ttl: true,
      // Callers that wait for an outcome subscribe to this. It costs the servers less than a consumer for each.
      republish: { src: layout.allOutcomes, dest: layout.changeTemplate, headers_only: true },
    },
    {
      ...common,
      name: layout.jobs,
      description: "Fairlead's jobs that have not ended. Each message names the record of one.",
      subjects: [layout.allJobs],
      retention: RetentionPolicy.Workqueue,
    },
  ]);
}
