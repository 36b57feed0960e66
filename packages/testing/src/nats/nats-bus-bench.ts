import { connectToNats, NatsBus } from "@fairlead/nats";
import type { NatsConnection } from "@nats-io/transport-node";
import { NatsCluster } from "./nats-cluster.ts";

/** A bus with a connection of its own. Disposing closes both, as the end of a process would. */
export interface OpenedBus extends AsyncDisposable {
  readonly bus: NatsBus;
  readonly connection: NatsConnection;
}

export interface OpenBusOptions {
  /** The address of the server to connect to. */
  readonly server?: string;
  readonly checkInterval?: number;
}

/** NATS servers, and buses on them. Disposing closes the connections and ends the servers. */
export class NatsBusBench implements AsyncDisposable {
  readonly cluster: NatsCluster;
  readonly #connections: NatsConnection[] = [];
  #namespaces = 0;

  private constructor(cluster: NatsCluster) {
    this.cluster = cluster;
  }

  static async start(nodes: 1 | 3): Promise<NatsBusBench> {
    return new NatsBusBench(await NatsCluster.start({ nodes }));
  }

  createNamespace(): string {
    return `bus-${this.#namespaces++}`;
  }

  /** Opens a bus. Unless a server is named, the connections of consecutive calls go to different servers. */
  async open(namespace: string, { server, ...options }: OpenBusOptions = {}): Promise<OpenedBus> {
    const connection = await this.connect(server);
    const bus = new NatsBus({ connection, namespace, ...options });
    const dispose = async (): Promise<void> => {
      await bus[Symbol.asyncDispose]();
      await connection.close();
    };
    return { bus, connection, [Symbol.asyncDispose]: dispose };
  }

  async connect(server?: string): Promise<NatsConnection> {
    const { servers, application } = this.cluster;
    const next = servers[this.#connections.length % servers.length] ?? "";
    const connection = await connectToNats({
      servers: [server ?? next],
      user: application.user,
      password: application.pass,
    });
    this.#connections.push(connection);
    return connection;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.cluster[Symbol.asyncDispose]();
  }
}
