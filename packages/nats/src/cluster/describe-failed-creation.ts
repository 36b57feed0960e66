import { FairleadError } from "@fairlead/contract";
import { JetStreamApiError, type JetStreamManager } from "@nats-io/jetstream";
import { describeDeniedPermission } from "./describe-denied-permission.ts";
import type { LogStreamConfig } from "./create-streams.ts";

/** The error codes of the servers' API that have a known remedy. */
const subjectsOverlap = 10_065;
const maximumStreams = 10_027;

export interface FailedCreation {
  readonly config: LogStreamConfig;
  /** The number of streams that were created before. */
  readonly created: number;
  /** The number of streams of the log. */
  readonly needed: number;
}

/** Explains why a stream cannot be created, and what to change. */
export async function describeFailedCreation(
  manager: JetStreamManager,
  error: Error,
  { config, created, needed }: FailedCreation,
): Promise<FairleadError> {
  const denied = describeDeniedPermission(error, "login");
  if (denied !== undefined) return denied;
  const code = error instanceof JetStreamApiError ? error.code : undefined;
  const { name, subjects: [subject = ""] = [] } = config;
  const progress = `${created === 1 ? "1 stream was" : `${created} streams were`} created, of ${needed} that a fleet needs`;
  if (code === subjectsOverlap) {
    const other = await manager.streams.find(subject).catch(() => "another stream of the account");
    return new FairleadError(
      "conflict",
      `The stream ${name} cannot be created, because ${other} has its subjects ${subject}: choose another namespace, or ` +
        `remove ${other} if nothing in it is needed. ${progress}.`,
      { cause: error },
    );
  }
  if (code === maximumStreams) {
    return new FairleadError(
      "limit-reached",
      `The stream ${name} cannot be created, because the account of \`login\` may not have more streams: raise ` +
        `\`max_streams\` of the account. ${progress}.`,
      { cause: error },
    );
  }
  return new FairleadError(
    "unavailable",
    `The stream ${name} cannot be created (${error.message}): look into the logs of the servers. ${progress}.`,
    { cause: error },
  );
}
