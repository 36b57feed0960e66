import { FairleadError } from "@fairlead/contract";
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { FleetStreams, LogStreamConfig } from "../cluster/create-streams.ts";
import { describeFailedCreation } from "../cluster/describe-failed-creation.ts";
import { retryWhileElecting } from "../retry-while-electing.ts";

/** What a caller says about the streams of one part of a fleet. */
export interface PartStreamOptions {
  readonly namespace: string;
  /** The number of servers that store each message: 3, or 1 on the single server of a test. */
  readonly replicas: number;
}

/**
 * Creates the streams that do not exist. Throws `conflict`, before it creates one, if a stream exists with other settings. An
 * operator may add settings that are not named here, for example a limit of `max_bytes`.
 */
export async function createMissingStreams(
  connection: NatsConnection,
  configs: readonly LogStreamConfig[],
): Promise<FleetStreams> {
  const manager = await jetstreamManager(connection, { timeout: 10_000 });
  const missing: LogStreamConfig[] = [];
  const problems: string[] = [];
  for (const config of configs) {
    const differences = await findDifferences(manager, config);
    if (differences === undefined) missing.push(config);
    else if (differences.length > 0) problems.push(`The stream ${config.name} exists with ${differences.join(", ")}.`);
  }
  if (problems.length > 0) {
    const advice = "Correct these settings, or choose another namespace.";
    throw new FairleadError("conflict", [...problems, advice].join("\n"));
  }
  for (const [index, config] of missing.entries()) {
    // It may be sent twice: a stream that exists with the same settings is a success.
    await retryWhileElecting(() => manager.streams.add(config)).catch(async (error: unknown) => {
      throw await describeFailedCreation(manager, error as Error, { config, created: index, needed: configs.length });
    });
  }
  const created = missing.map(({ name }) => name);
  return { created, kept: configs.map(({ name }) => name).filter((name) => !created.includes(name)) };
}

/** Names the settings that differ from the wanted ones. Returns undefined if there is no such stream. */
async function findDifferences(manager: JetStreamManager, wanted: LogStreamConfig): Promise<string[] | undefined> {
  try {
    const { config } = await retryWhileElecting(() => manager.streams.info(wanted.name));
    const found = config as unknown as Readonly<Record<string, unknown>>;
    return Object.entries(wanted)
      .filter(([key, value]) => !hasValue(found[key] ?? false, value))
      .map(([key, value]) => `${key} ${JSON.stringify(found[key] ?? null)} instead of ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined;
    throw error;
  }
}

/** Whether a value is the wanted one. Servers add fields of their own to objects. */
function hasValue(found: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted)) {
    return JSON.stringify(found) === JSON.stringify(wanted);
  }
  const fields = found as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).every(([key, value]) => hasValue(fields[key] ?? false, value));
}
