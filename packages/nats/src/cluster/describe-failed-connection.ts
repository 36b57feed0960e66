import { FairleadError } from "@fairlead/contract";
import { errors } from "@nats-io/transport-node";
import type { FleetSource, FleetUser } from "./fleet-connection.ts";

/** Explains why a connection to the servers failed. Their messages are not quoted if they name options of Node.js. */
export function describeFailedConnection(error: Error, source: FleetSource, user: FleetUser): FairleadError {
  const { servers } = source.fleet;
  const causes = listCauses(error);
  if (causes.some((cause) => isRefusedLogin(cause))) {
    return new FairleadError("not-allowed", describeRefusedLogin(source, user), { cause: error });
  }
  const tlsProblem = causes.map((cause) => describeTlsError(cause, source)).find((problem) => problem !== undefined);
  if (tlsProblem !== undefined) return new FairleadError("not-allowed", tlsProblem, { cause: error });
  const last = causes.at(-1) ?? error;
  return new FairleadError(
    "unavailable",
    `No server of ${servers.join(", ")} can be reached (${last.message}): start them, or correct the fleet's file.`,
    { cause: error },
  );
}

function listCauses(error: Error): Error[] {
  return error.cause instanceof Error ? [error, ...listCauses(error.cause)] : [error];
}

function isRefusedLogin(error: Error): boolean {
  return error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
}

function describeRefusedLogin({ fleet }: FleetSource, user: FleetUser): string {
  const login = fleet[user];
  if (login === undefined) {
    return `The servers demand a login, and the fleet's file has no \`${user}\`: add it, with \`user\` and \`passwordVariable\` or with \`credentials\`.`;
  }
  if (login.credentials !== undefined) {
    return `The servers refuse the user of \`${user}\` with the credentials in ${login.credentials}: correct or renew them.`;
  }
  return `The servers refuse the user of \`${user}\`, ${login.user}, with the password in ${login.passwordVariable}: correct the name, or the variable.`;
}

function describeTlsError(error: Error, { fleet }: FleetSource): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return undefined;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return "The certificate of a server is for another name: list in `servers` the names that the certificates have.";
  }
  if (code === "CERT_HAS_EXPIRED") return "The certificate of a server has expired: renew it.";
  if (/CERT|ISSUER|SIGNATURE/.test(code)) {
    const remedy = fleet.tls === undefined ? "set `tls.ca` to" : "`tls.ca` must name";
    return `The certificate of a server cannot be verified (${code}): ${remedy} the certificate authority of the servers.`;
  }
  if (/^ERR_(?:SSL|TLS)/.test(code))
    return `TLS with a server failed (${code}): check the \`tls\` block of the servers.`;
  return undefined;
}
