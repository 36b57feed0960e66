import { FairleadError } from "@fairlead/contract";
import { errors, type NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { uncheckedServers, type ClusterReport, type ServerSettings } from "./check-servers.ts";
import { describeDeniedPermission } from "./describe-denied-permission.ts";

/** The milliseconds in which servers answer, and after the last answer in which another one may. */
const maxWait = 5000;
const stall = 1000;

/** The parts of an answer to `$SYS.REQ.SERVER.PING.VARZ` that matter here. */
const SettingsAnswer = z.object({
  server: z.object({ id: z.string(), name: z.string(), cluster: z.string().optional() }),
  data: z.object({
    version: z.string(),
    max_payload: z.number(),
    // A server without JetStream has an empty object here.
    jetstream: z
      .object({
        config: z.object({ sync_always: z.boolean().optional() }).optional(),
        meta: z.object({ cluster_size: z.number().optional(), leader: z.string().optional() }).optional(),
      })
      .optional(),
  }),
});
type SettingsAnswer = z.infer<typeof SettingsAnswer>;

/** Asks all servers of a connection's cluster for their settings. The connection's user must be in the system account. */
export async function askServers(connection: NatsConnection): Promise<ClusterReport> {
  const answers: SettingsAnswer[] = [];
  try {
    const replies = await connection.requestMany("$SYS.REQ.SERVER.PING.VARZ", "", {
      strategy: "stall",
      maxWait,
      stall,
    });
    for await (const reply of replies) answers.push(SettingsAnswer.parse(reply.json()));
  } catch (error) {
    const denied = describeDeniedPermission(error, "system");
    if (denied !== undefined) throw denied;
    if (error instanceof errors.NoRespondersError || error instanceof errors.RequestError) {
      throw new FairleadError(
        "not-supported",
        `The user of \`system\` is not in the system account of the servers. ${uncheckedServers}`,
        { cause: error },
      );
    }
    throw error;
  }
  return summarizeAnswers(answers, connection.info?.cluster);
}

/** Reduces the answers of servers to what is checked. Servers of other clusters store nothing of this fleet. */
export function summarizeAnswers(answers: readonly SettingsAnswer[], cluster: string | undefined): ClusterReport {
  const own = answers.filter(({ server }) => (server.cluster ?? "") === (cluster ?? ""));
  const servers = own.map(({ server, data }): ServerSettings => ({
    id: server.id,
    name: server.name,
    version: data.version,
    maxPayload: data.max_payload,
    jetStream: data.jetstream?.config && { syncsAlways: data.jetstream.config.sync_always === true },
  }));
  // A server that is in no cluster has no metadata of one.
  const sizes = own.map(({ data: { jetstream } }) => jetstream?.meta?.cluster_size ?? (jetstream?.config ? 1 : 0));
  // The servers elect the leader together, but not all know it at the same time.
  const hasLeader = own.every(
    ({ data: { jetstream } }) => jetstream?.meta === undefined || Boolean(jetstream.meta.leader),
  );
  return { servers, size: Math.max(0, ...sizes), hasLeader };
}
