import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Engine } from "@fairlead/engine";
import { connectToNats, createFleetStorage, openNatsEngine } from "@fairlead/nats";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { Home, projectionVersion } from "@fairlead/runtime";
import { FleetFairlead, type FleetFairleadOptions } from "../../../fleet/src/gateway/fleet-fairlead.ts";
import { FleetHost, type FleetHostOptions } from "../../../fleet/src/host/fleet-host.ts";
import { NatsCluster } from "../nats/nats-cluster.ts";

const namespace = "bench";

/** A host of a bench with its data directory. */
export interface BenchHost {
  readonly host: FleetHost;
  readonly home: Home;
  /**
   * Ends the host as its process would by a signal, and removes its entry, as the servers do when it expires. Its agents continue
   * until their keepers end them.
   */
  close(): Promise<void>;
}

/** NATS servers with the streams of a fleet, and hosts and gateways in this process, each with an engine of its own. */
export class FleetBench implements AsyncDisposable {
  readonly cluster: NatsCluster;
  readonly folder = mkdtempSync(join(tmpdir(), "fl-"));
  readonly workspace = join(this.folder, "w");
  /** Errors that hosts reported. */
  readonly errors: unknown[] = [];
  readonly environment = { ...process.env, XDG_STATE_HOME: join(this.folder, "s") };
  readonly #resources = new AsyncDisposableStack();

  private constructor(cluster: NatsCluster) {
    this.cluster = cluster;
    mkdirSync(this.workspace);
  }

  static async start(nodes: 1 | 3 = 1, streams = 2): Promise<FleetBench> {
    const cluster = await NatsCluster.start({ nodes });
    const bench = new FleetBench(cluster);
    const connection = await connectToNats(bench.connection);
    await createFleetStorage(connection, { namespace, replicas: nodes, streams });
    await connection.close();
    return bench;
  }

  get connection(): { readonly servers: readonly string[]; readonly user: string; readonly password: string } {
    const { servers, application } = this.cluster;
    return { servers, user: application.user, password: application.pass };
  }

  async openEngine(host: string): Promise<Engine> {
    const options = { connection: this.connection, namespace, host, indexContentVersion: projectionVersion };
    return await openNatsEngine(options);
  }

  /** Opens a host. The same name is the same host with the same data directory. */
  async openHost(name: string, options: Partial<FleetHostOptions> = {}): Promise<BenchHost> {
    const opened = new AsyncDisposableStack();
    const engine = opened.use(await this.openEngine(name));
    const home = new Home(join(this.folder, name));
    const host = opened.use(
      await FleetHost.open({
        engine,
        host: name,
        pool: "default",
        max: 50,
        home,
        adapters,
        fallback: "scripted",
        environment: this.environment,
        onError: (error) => void this.errors.push(error),
        ...options,
      }),
    );
    this.#resources.use(opened);
    const close = async (): Promise<void> => {
      await opened.disposeAsync();
      await this.#removeEntry(name);
    };
    return { host, home, close };
  }

  async openGateway(options: Partial<FleetFairleadOptions> = {}): Promise<FleetFairlead> {
    const engine = this.#resources.use(await this.openEngine("gateway"));
    return this.#resources.use(new FleetFairlead({ engine, adapters, ...options }));
  }

  async #removeEntry(host: string): Promise<void> {
    await using engine = await this.openEngine(host);
    await using membership = await engine.hosts.join({ name: host });
    await membership.endAbsences();
  }

  /** Removes the entries of all hosts and tells watchers, as the servers do when no heartbeat has come for too long. */
  async expireHosts(): Promise<void> {
    const connection = await connectToNats(this.connection);
    const { streams } = await jetstreamManager(connection);
    const { state } = await streams.info(`KV_${namespace}_hosts`, { subjects_filter: ">" });
    const erased = headers();
    erased.set("KV-Operation", "DEL");
    for (const subject of Object.keys(state.subjects ?? {}))
      await jetstream(connection).publish(subject, undefined, { headers: erased });
    await connection.close();
  }

  /** Stops all sessions that can be reached, and ends everything. */
  async [Symbol.asyncDispose](): Promise<void> {
    const gateway = await this.openGateway({ patience: 0 });
    const { sessions } = await gateway.sessions({ limit: 1000 });
    const open = sessions.filter(({ state }) => state !== "ended");
    await Promise.all(open.map(({ session }) => gateway.stop(session).catch(() => {})));
    await this.#resources.disposeAsync();
    await this.cluster[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
