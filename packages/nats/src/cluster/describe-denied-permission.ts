import { FairleadError } from "@fairlead/contract";
import { errors } from "@nats-io/transport-node";
import type { FleetUser } from "./fleet-connection.ts";

/** What each user of a fleet's file must be allowed to publish to. */
const neededSubjects: Readonly<Record<FleetUser, string>> = {
  login: "`$JS.API.>`",
  system: "`$SYS.REQ.SERVER.PING.VARZ`",
};

/** Explains which permission a user lacks, if that is why a request failed. */
export function describeDeniedPermission(error: unknown, user: FleetUser): FairleadError | undefined {
  const violation = findViolation(error);
  if (violation === undefined) return undefined;
  const verb = violation.operation === "publish" ? "publish" : "subscribe";
  const needed = `allow it to publish to ${neededSubjects[user]} and to subscribe to \`_INBOX.>\``;
  return new FairleadError(
    "not-allowed",
    `The user of \`${user}\` may not ${verb} to \`${violation.subject}\`: ${needed} in the configuration of the servers.`,
    { cause: error },
  );
}

function findViolation(error: unknown): InstanceType<typeof errors.PermissionViolationError> | undefined {
  if (error instanceof errors.PermissionViolationError) return error;
  return error instanceof Error && error.cause !== undefined ? findViolation(error.cause) : undefined;
}
