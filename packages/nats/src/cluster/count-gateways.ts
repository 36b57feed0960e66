import type { NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { connectionName } from "../connection-name.ts";

/** The parts of an answer to `$SYS.REQ.SERVER.PING.CONNZ` that matter here. */
const ConnectionsAnswer = z.object({
  server: z.object({ id: z.string() }),
  data: z.object({
    connections: z
      .array(z.object({ cid: z.number(), name: z.string().optional(), account: z.string().optional() }))
      .nullish(),
  }),
});

/** More than a server accepts by default. */
const maxConnections = 100_000;
const maxWait = 5000;
/** The milliseconds after the last answer in which another server may answer. */
const stall = 1000;

/**
 * Counts the gateways of a fleet that are connected. `system` must be in the system account, which alone may list
 * connections. `login` is a connection to the fleet's account: other accounts can have fleets with the same namespace.
 */
export async function countGateways(system: NatsConnection, login: NatsConnection, namespace: string): Promise<number> {
  const request = JSON.stringify({ auth: true, limit: maxConnections });
  const strategy = { strategy: "stall", stall, maxWait } as const;
  const all = [];
  for await (const reply of await system.requestMany("$SYS.REQ.SERVER.PING.CONNZ", request, strategy)) {
    const { server, data } = ConnectionsAnswer.parse(reply.json());
    for (const one of data.connections ?? []) all.push({ ...one, server: server.id });
  }
  const own = all.find(({ cid, server }) => cid === login.info?.client_id && server === login.info.server_id);
  const name = connectionName(namespace, "gateway");
  return all.filter((one) => one.name === name && one.account === own?.account).length;
}
