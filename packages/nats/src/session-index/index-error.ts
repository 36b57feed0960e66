import { FairleadError } from "@fairlead/contract";
import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import { PermissionViolationError } from "@nats-io/transport-node";

/** Creates the error for an index that cannot be reached. */
export function createIndexError(action: string, cause?: unknown): FairleadError {
  if (FairleadError.isInstance(cause)) return cause;
  const reason = cause instanceof Error ? cause.message : "it was closed";
  return new FairleadError("unavailable", `The session index on NATS cannot ${action}: ${reason}.`, { cause });
}

/** Whether a request fails again if it is repeated: a permission or the bucket is missing. */
export function isLastingIndexFailure(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === JetStreamApiCodes.StreamNotFound;
  const cause = error instanceof Error ? error.cause : undefined;
  return (
    FairleadError.isInstance(error) ||
    error instanceof PermissionViolationError ||
    cause instanceof PermissionViolationError
  );
}
