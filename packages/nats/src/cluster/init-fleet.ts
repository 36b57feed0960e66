import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { NatsConnection } from "@nats-io/transport-node";
import { askServers } from "./ask-servers.ts";
import { findServerProblems, uncheckedServers, type ClusterReport, type ServerSettings } from "./check-servers.ts";
import { createFleetStorage } from "./create-fleet-storage.ts";
import type { FleetStreams } from "./create-streams.ts";
import { describeDeniedPermission } from "./describe-denied-permission.ts";
import { connectToFleet, resolveFleetOptions, type FleetSource } from "./fleet-connection.ts";
import { findTlsProblem, probeServer, type Greeting } from "./probe-server.ts";

/** Each event is stored on three servers, so that one can be lost and the other two still have a majority. */
const replicas = 3;
/** The milliseconds that servers which were just started get to elect a leader. */
const leaderLimit = 15_000;

export interface FleetInit {
  readonly servers: readonly ServerSettings[];
  /** The names of the streams that were created now. */
  readonly createdStreams: readonly string[];
  /** The names of the streams that were there, with the same settings. */
  readonly keptStreams: readonly string[];
}

/**
 * Checks the servers of a fleet and creates its streams. Throws, with a sentence for each problem, if the servers could lose
 * or double events. Doing it again changes nothing. `onWait` gets a sentence if the servers need some seconds.
 */
export async function initFleet(source: FleetSource, onWait: (reason: string) => void = () => {}): Promise<FleetInit> {
  const { fleet } = source;
  resolveFleetOptions(source, "login");
  const greetings = await probeAll(fleet.servers, fleet.tls !== undefined);
  if (fleet.system === undefined) throw new FairleadError("not-supported", uncheckedServers);
  const servers = await checkServers(source, greetings, onWait);
  await using connection = await connectToFleet(source, "login");
  refuseOtherServers(connection, servers);
  const { created, kept } = await createStreams(connection, fleet.namespace);
  return { servers, createdStreams: created, keptStreams: kept };
}

/** Reads the greeting of each address that the file lists. All must answer: one that does not cannot be checked. */
async function probeAll(addresses: readonly string[], hasTls: boolean): Promise<Greeting[]> {
  const results = await Promise.allSettled(addresses.map((address) => probeServer(address)));
  const failures = results.filter((result) => result.status === "rejected").map(({ reason }) => reason as Error);
  if (failures.length > 0) {
    throw new FairleadError("unavailable", failures.map(({ message }) => message).join("\n"), { cause: failures[0] });
  }
  const greetings = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const problems = greetings.flatMap((greeting) => findTlsProblem(greeting, hasTls) ?? []);
  if (problems.length > 0) throw new FairleadError("not-supported", problems.join("\n"));
  return greetings;
}

async function checkServers(
  source: FleetSource,
  greetings: readonly Greeting[],
  onWait: (reason: string) => void,
): Promise<readonly ServerSettings[]> {
  await using connection = await connectToFleet(source, "system");
  const report = await askForLeader(connection, onWait);
  const ids = new Set(report.servers.map(({ id }) => id));
  const foreign = greetings.filter(({ server_id: id }) => !ids.has(id)).map(({ address }) => address);
  // The check of one cluster says nothing about another one, and the client may connect to any address of the file.
  const problems = [...findServerProblems(report), ...foreign.map((address) => describeForeign(address, report))];
  if (problems.length > 0) throw new FairleadError("not-supported", problems.join("\n"));
  if (!report.hasLeader) {
    throw new FairleadError(
      "unavailable",
      `The servers have elected no leader of JetStream within ${leaderLimit / 1000} s: check that their \`routes\` reach each other.`,
    );
  }
  return report.servers;
}

/** Asks the servers until they have a leader of JetStream. Returns the last report if they have none in time. */
async function askForLeader(connection: NatsConnection, onWait: (reason: string) => void): Promise<ClusterReport> {
  const end = performance.now() + leaderLimit;
  for (let attempt = 0; ; attempt++) {
    const report = await askServers(connection);
    if (report.hasLeader || performance.now() > end) return report;
    if (attempt === 0) onWait(`Waiting up to ${leaderLimit / 1000} s for the servers to elect a leader of JetStream.`);
    await delay(250);
  }
}

function describeForeign(address: string, { servers }: ClusterReport): string {
  const names = servers.map(({ name }) => name).join(", ");
  return `The server at ${address} is not in the cluster that was checked (${names}): list only servers of one cluster in \`servers\`.`;
}

/** Refuses a connection to a server that was not checked, which a name with several addresses can lead to. */
function refuseOtherServers({ info }: NatsConnection, servers: readonly ServerSettings[]): void {
  if (servers.some(({ id }) => id === info?.server_id)) return;
  const name = info?.server_name ?? "a server without a name";
  throw new FairleadError(
    "not-supported",
    `The connection of \`login\` reached ${name}, which is not in the cluster that was checked: list only servers of one cluster in \`servers\`.`,
  );
}

async function createStreams(connection: NatsConnection, namespace: string): Promise<FleetStreams> {
  try {
    return await createFleetStorage(connection, { namespace, replicas });
  } catch (error) {
    if (FairleadError.isInstance(error)) throw error;
    const denied = describeDeniedPermission(error, "login");
    if (denied !== undefined) throw denied;
    const { message } = error as Error;
    const advice = /not enabled/i.test(message)
      ? "set `jetstream: enabled` in the account"
      : "look into the logs of the servers, and check that the user may subscribe to `_INBOX.>`";
    throw new FairleadError("not-supported", `The account of \`login\` cannot use JetStream (${message}): ${advice}.`, {
      cause: error,
    });
  }
}
