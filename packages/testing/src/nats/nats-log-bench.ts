import { connectToNats, createFleetStreams, openNatsLog, type NatsConnectionOptions } from "@fairlead/nats";
import type { Journal } from "@fairlead/journal";
import type { NatsConnection } from "@nats-io/transport-node";
import { NatsCluster } from "./nats-cluster.ts";

/** NATS servers, and event logs on them. Disposing closes the logs' connections and ends the servers. */
export class NatsLogBench implements AsyncDisposable {
  readonly cluster: NatsCluster;
  readonly nodes: 1 | 3;
  readonly #connections: NatsConnection[] = [];
  #namespaces = 0;

  private constructor(cluster: NatsCluster, nodes: 1 | 3) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  static async start(nodes: 1 | 3, maxPayload?: string): Promise<NatsLogBench> {
    const options = maxPayload === undefined ? { nodes } : { nodes, maxPayload };
    return new NatsLogBench(await NatsCluster.start(options), nodes);
  }

  async connect(): Promise<NatsConnection> {
    const connection = await connectToNats(this.#connectionOptions);
    this.#connections.push(connection);
    return connection;
  }

  /** Creates the streams of an empty log and returns its namespace. */
  async createNamespace(streams = 2): Promise<string> {
    const namespace = `test-${this.#namespaces++}`;
    const connection = (this.#connections[0] ??= await this.connect());
    await createFleetStreams(connection, { namespace, replicas: this.nodes, streams });
    return namespace;
  }

  /** Opens a log over its own connection. `wrap` may replace the connection, so that a test can change its answers. */
  async open(
    namespace: string,
    wrap?: (connection: NatsConnection) => NatsConnection,
    timeout?: number,
  ): Promise<Journal> {
    const connection = wrap?.(await this.connect()) ?? this.#connectionOptions;
    return await openNatsLog({ connection, namespace, ...(timeout !== undefined && { timeout }) });
  }

  get #connectionOptions(): NatsConnectionOptions {
    const { servers, application } = this.cluster;
    return { servers, user: application.user, password: application.pass };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.cluster[Symbol.asyncDispose]();
  }
}
