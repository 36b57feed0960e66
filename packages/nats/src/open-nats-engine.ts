import type { Engine } from "@fairlead/engine";
import type { NatsConnection } from "@nats-io/transport-node";
import { NatsBus } from "./bus/nats-bus.ts";
import { connectionName } from "./connection-name.ts";
import { connectToNats, type NatsConnectionOptions } from "./connect-to-nats.ts";
import { NatsHosts } from "./hosts/nats-hosts.ts";
import { openNatsLog } from "./log/open-nats-log.ts";
import { NatsObjectStore } from "./objects/nats-object-store.ts";
import { NatsWorkQueue } from "./queue/nats-work-queue.ts";
import { openNatsIndex } from "./session-index/open-nats-index.ts";
import { NatsTokenStore } from "./tokens/nats-token-store.ts";

export interface NatsEngineOptions {
  /** How to reach the servers. The engine opens a connection with a name of its own, and closes it. */
  readonly connection: Omit<NatsConnectionOptions, "name">;
  readonly namespace: string;
  /** Identifies this host among the owners of sessions. A gateway owns none: `fairlead fleet status` counts `gateway`. */
  readonly host: string;
  /** The version of what the caller writes into rows of the index. */
  readonly indexContentVersion: number;
  /**
   * Whether the process checks tokens, and needs a copy of them from the beginning. Default: true. A host has no clients: its copy
   * would ask the servers twice a second for nothing, which is 2,000 requests per second with 1,000 hosts.
   */
  readonly checksTokens?: boolean;
  /**
   * Receives what operators count: a message that the servers refused or did not answer before the log looked at what is
   * stored, and a connection that was lost and is there again. Must not throw.
   */
  readonly onServers?: (report: "refused-append" | "reconnect") => void;
}

/** Opens the engine of a fleet, whose streams `fairlead fleet init` has created. All parts share one connection. */
export async function openNatsEngine(options: NatsEngineOptions): Promise<Engine> {
  const { namespace, host, indexContentVersion, checksTokens = true, onServers } = options;
  await using opening = new AsyncDisposableStack();
  const name = connectionName(namespace, host);
  const connection = opening.adopt(await connectToNats({ ...options.connection, name }), (opened) => opened.close());
  const common = { connection, namespace };
  if (onServers !== undefined) void reportReconnects(connection, () => onServers("reconnect"));
  const onRefused = onServers && (() => onServers("refused-append"));
  const log = opening.use(await openNatsLog({ ...common, ...(onRefused && { onRefused }) }));
  const index = opening.use(await openNatsIndex({ ...common, contentVersion: indexContentVersion }));
  const hosts = await NatsHosts.open({ ...common, hostId: host });
  const tokens = opening.use(await NatsTokenStore.open({ ...common, isLazy: !checksTokens }));
  const queue = opening.use(new NatsWorkQueue(common));
  const objects = opening.use(new NatsObjectStore(common));
  const bus = opening.use(new NatsBus(common));
  const resources = opening.move();
  return { log, index, hosts, bus, queue, tokens, objects, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Returns when the connection is closed. */
async function reportReconnects(connection: NatsConnection, report: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect") report();
}
