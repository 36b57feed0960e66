import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { NatsConnection } from "@nats-io/transport-node";
import { connectToNats, type NatsConnectionOptions } from "../connect-to-nats.ts";
import { describeFailedConnection } from "./describe-failed-connection.ts";
import type { FleetFile, FleetLogin } from "./fleet-file.ts";

/** A fleet's file with what its values refer to. */
export interface FleetSource {
  readonly fleet: FleetFile;
  /** The folder of the file. Paths in the file start there. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The connections that a fleet's file describes: to the account with the streams, or to the system account. */
export type FleetUser = "login" | "system";

/** The milliseconds in which a connection must be there. */
const connectLimit = 8000;

/**
 * Connects to the servers of a fleet within 8 s. The connection does not reconnect: it could reach a server that was not
 * checked, and the client would retry without an end where a server ends each connection.
 */
export async function connectToFleet(source: FleetSource, user: FleetUser): Promise<NatsConnection> {
  const options = resolveFleetOptions(source, user);
  const opening = connectToNats({ ...options, reconnects: false });
  const canceled = new AbortController();
  try {
    const late = delay(connectLimit, undefined, { signal: canceled.signal });
    const connection = await Promise.race([opening, late]);
    if (connection !== undefined) return connection;
    opening.then(
      (unused) => unused.close(),
      () => {},
    );
  } catch (error) {
    throw describeFailedConnection(error as Error, source, user);
  } finally {
    canceled.abort();
  }
  const seconds = connectLimit / 1000;
  const servers = source.fleet.servers.join(", ");
  throw new FairleadError(
    "unavailable",
    `No server of ${servers} answered the login of \`${user}\` within ${seconds} s: look into their logs.`,
  );
}

/** Reads the files and environment variables that a fleet's file names. */
export function resolveFleetOptions(source: FleetSource, user: FleetUser): NatsConnectionOptions {
  const { fleet, folder } = source;
  const { servers, tls } = fleet;
  const ca = tls && readCertificate(folder, tls.ca);
  return { servers, name: "fairlead", ...(ca !== undefined && { tls: { ca } }), ...readLogin(source, user) };
}

function readLogin(source: FleetSource, user: FleetUser): Partial<NatsConnectionOptions> {
  const { fleet, folder, environment } = source;
  const login: FleetLogin = fleet[user] ?? {};
  if (login.credentials !== undefined) {
    const key = `${user}.credentials`;
    const credentials = readNamedFile(folder, login.credentials, key);
    // The file has a token and a key, each between two lines of dashes. Neither may be in an error.
    if (
      credentials
        .toString("utf8")
        .split("\n")
        .filter((line) => line.startsWith("---")).length >= 4
    )
      return { credentials };
    const path = resolve(folder, login.credentials);
    throw invalid(`${key} names ${path}, and it is not a file of NATS credentials: correct the path.`);
  }
  if (login.user !== undefined && login.passwordFile !== undefined) {
    const key = `${user}.passwordFile`;
    const password = readNamedFile(folder, login.passwordFile, key).toString("utf8").trim();
    if (password !== "") return { user: login.user, password };
    throw invalid(`${key} names ${resolve(folder, login.passwordFile)}, and it is empty: write the password into it.`);
  }
  if (login.user === undefined || login.passwordVariable === undefined) return {};
  const password = environment[login.passwordVariable];
  if (password === undefined || password === "") {
    throw invalid(
      `The environment variable ${login.passwordVariable} is not set, and \`${user}\` takes its password from it: set it.`,
    );
  }
  return { user: login.user, password };
}

function readCertificate(folder: string, file: string): string {
  const bytes = readNamedFile(folder, file, "tls.ca");
  try {
    // Throws if there is no certificate. The text may have more than this first one.
    new X509Certificate(bytes).toString();
    return bytes.toString("utf8");
  } catch (error) {
    const path = resolve(folder, file);
    throw invalid(`tls.ca names ${path}, and it has no certificate in PEM form: correct the path.`, error);
  }
}

function readNamedFile(folder: string, file: string, key: string): Buffer {
  const path = resolve(folder, file);
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
    throw invalid(`${key} names ${path}, and ${reason}: correct the path.`, error);
  }
}

function invalid(message: string, cause?: unknown): FairleadError {
  return new FairleadError("invalid-settings", message, { cause });
}
