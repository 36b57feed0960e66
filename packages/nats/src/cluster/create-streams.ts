import { FairleadError } from "@fairlead/contract";
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
  type StreamInfo,
} from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { retryWhileElecting } from "../retry-while-electing.ts";
import { StreamLayout, defaultStreamCount } from "../log/stream-layout.ts";
import { describeFailedCreation } from "./describe-failed-creation.ts";
import { findStreamDifferences } from "./stream-differences.ts";

export interface FleetStreamOptions {
  readonly namespace: string;
  /** The number of servers that store each frame: 3, or 1 on the single server of a test. */
  readonly replicas: number;
  /** The number of streams of the log. It cannot be changed later. Default: 16. */
  readonly streams?: number;
}

/** The names of a log's streams. */
export interface FleetStreams {
  /** Created now. */
  readonly created: readonly string[];
  /** They were there, with the same settings. */
  readonly kept: readonly string[];
}

export type LogStreamConfig = Pick<StreamConfig, "name"> & Partial<StreamConfig>;

/** The key under which a stream's metadata has the number of the log's streams. */
export const streamCountKey = "fairlead-log-streams";
/** The key under which a stream's metadata has the version of the frames. */
const frameVersionKey = "fairlead-log-version";

const second = 1_000_000_000;
// A resent frame that the server has already stored is acknowledged as a duplicate within this time. After it, the frame's
// compare-and-set is refused, and the log finds the frame as the tail. A longer window only costs the servers memory.
const duplicateWindow = 20 * second;

/**
 * Creates the streams of the event log that do not exist. Throws `conflict`, before it creates one, if a stream exists with
 * settings that could lose or hide frames, or if a stream is missing although another one has had frames: a new one in its
 * place would be empty, and the sessions that it had would look as if they never existed.
 */
export async function createFleetStreams(
  connection: NatsConnection,
  options: FleetStreamOptions,
): Promise<FleetStreams> {
  const manager = await jetstreamManager(connection, { timeout: 10_000 });
  const layout = new StreamLayout(options.namespace, options.streams ?? defaultStreamCount);
  const configs = Array.from({ length: layout.streamCount }, (_, partition) =>
    logStreamConfig(layout, partition, options.replicas),
  );
  const existing: StreamInfo[] = [];
  const missing: LogStreamConfig[] = [];
  for (const config of configs) {
    const info = await findStream(manager, config.name);
    if (info === undefined) missing.push(config);
    else existing.push(info);
  }
  refuseOtherSettings(existing, configs);
  refuseLostStreams(existing, missing);
  // One after the other: a cluster elects a leader for each, and many elections at once time out on slow machines.
  for (const [index, config] of missing.entries()) {
    // It may be sent twice: a stream that exists with the same settings is a success.
    await retryWhileElecting(() => manager.streams.add(config)).catch(async (error: unknown) => {
      throw await describeFailedCreation(manager, error as Error, { config, created: index, needed: configs.length });
    });
  }
  return { created: missing.map(({ name }) => name), kept: existing.map(({ config }) => config.name) };
}

/** Returns the settings of one stream of the log. */
export function logStreamConfig(layout: StreamLayout, partition: number, replicas: number): LogStreamConfig {
  const subject = layout.allSubjects(partition);
  return {
    name: layout.streamName(partition),
    subjects: [subject],
    description: "Events of Fairlead's sessions. Each message is a frame of one session.",
    storage: StorageType.File,
    num_replicas: replicas,
    retention: RetentionPolicy.Limits,
    // If a limit of the account is reached, the server must refuse new frames, and not drop old ones.
    discard: DiscardPolicy.New,
    allow_direct: true,
    deny_delete: true,
    // To forget a session is to purge its subject.
    deny_purge: false,
    duplicate_window: duplicateWindow,
    republish: { src: subject, dest: layout.liveTemplate },
    metadata: { [streamCountKey]: String(layout.streamCount), [frameVersionKey]: "1" },
  };
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  return await retryWhileElecting(() => manager.streams.info(name)).catch((error: unknown) => {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  });
}

function refuseOtherSettings(existing: readonly StreamInfo[], configs: readonly LogStreamConfig[]): void {
  const wanted = new Map(configs.map((config) => [config.name, config]));
  const problems = existing.flatMap(({ config }) => {
    const keys = [streamCountKey, frameVersionKey];
    const differences = findStreamDifferences(config, wanted.get(config.name) ?? {}, keys);
    return differences.length === 0 ? [] : [`The stream ${config.name} exists with ${differences.join(", ")}.`];
  });
  if (problems.length === 0) return;
  const advice =
    "Correct these settings, choose another namespace, or remove the streams if nothing in them is needed.";
  throw new FairleadError("conflict", [...problems, advice].join("\n"));
}

function refuseLostStreams(existing: readonly StreamInfo[], missing: readonly LogStreamConfig[]): void {
  const used = existing.find(({ state }) => state.last_seq > 0);
  if (used === undefined || missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  const subject = missing.length === 1 ? `The stream ${names} is` : `The streams ${names} are`;
  throw new FairleadError(
    "conflict",
    `${subject} missing although ${used.config.name} has events: restore what is missing from a backup, or choose another ` +
      "namespace for a new fleet. Empty streams in their place would hide that sessions were lost.",
  );
}
