import { FairleadError } from "@fairlead/contract";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { QueueLayout } from "../queue/queue-layout.ts";
import { askServers } from "./ask-servers.ts";
import type { ClusterReport } from "./check-servers.ts";
import { countGateways } from "./count-gateways.ts";
import { connectToFleet, type FleetSource } from "./fleet-connection.ts";
import { fleetStreamFilter } from "./fleet-stream-names.ts";

/** A stream of a fleet as its leader reports it. */
export interface StreamReport {
  readonly name: string;
  /** Undefined while the servers elect one, which needs more than half of them. */
  readonly leader: string | undefined;
  /** The servers that have a copy. */
  readonly copies: number;
  /** The servers whose copy is out of reach or lags behind. */
  readonly late: readonly string[];
  readonly messages: number;
  readonly bytes: number;
}

/** What the servers of a fleet report about themselves and its streams. */
export interface StorageState {
  /** Undefined if the fleet's file names no user of the system account. */
  readonly cluster: ClusterReport | undefined;
  readonly streams: readonly StreamReport[];
  /** The jobs that no host has ended. */
  readonly queuedJobs: number;
  /** The gateways that are connected. Undefined if the fleet's file names no user of the system account. */
  readonly gateways: number | undefined;
}

/** Asks the servers of a fleet for their state. Throws `unavailable` if they do not answer. */
export async function readStorageState(source: FleetSource): Promise<StorageState> {
  const { namespace } = source.fleet;
  await using connection = await connectToFleet(source, "login");
  const streams = await readStreams(connection, namespace);
  const { jobs } = new QueueLayout(namespace);
  const queuedJobs = streams.find(({ name }) => name === jobs)?.messages ?? 0;
  if (source.fleet.system === undefined) return { cluster: undefined, streams, queuedJobs, gateways: undefined };
  await using system = await connectToFleet(source, "system");
  const cluster = await askServers(system);
  return { cluster, streams, queuedJobs, gateways: await countGateways(system, connection, namespace) };
}

async function readStreams(connection: NatsConnection, namespace: string): Promise<StreamReport[]> {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 10_000 });
  const reports: StreamReport[] = [];
  const isOwn = fleetStreamFilter(namespace);
  try {
    for await (const { config, state, cluster } of manager.streams.list()) {
      if (!isOwn(config.name)) continue;
      const late = (cluster?.replicas ?? []).filter((one) => !one.current || one.offline);
      reports.push({
        name: config.name,
        leader: cluster?.leader === "" ? undefined : cluster?.leader,
        copies: config.num_replicas,
        late: late.map(({ name }) => name),
        messages: state.messages,
        bytes: state.bytes,
      });
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = "Check that more than half of them run, and that the user may publish to `$JS.API.STREAM.LIST`.";
    throw new FairleadError("unavailable", `The servers do not list their streams: ${reason}. ${advice}`, { cause });
  }
  return reports.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}
