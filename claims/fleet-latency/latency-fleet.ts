import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport, type ServiceUrl } from "@fairlead/client/node";
import type { Engine } from "@fairlead/engine";
import { connectToNats, createFleetStorage, openNatsEngine, type NatsConnectionOptions } from "@fairlead/nats";
import { projectionVersion } from "@fairlead/runtime";
import { AccessTokens } from "@fairlead/server";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import { TestHome } from "../../measure/test-home.ts";
import { ensureBuilt } from "../daemon/built.ts";
import type { AppendTime, HostOptions } from "./host.ts";

/** As users have it: compiled. */
const nodeFlags = ["--conditions=built"];
const passwordVariable = "FLEET_PASSWORD";
const replicas = 3;

/** Three servers that sync each write, and hosts and a gateway as processes. Disposing ends all processes, and the agents. */
export class LatencyFleet implements AsyncDisposable {
  readonly namespace = "fleet";
  readonly cluster: NatsCluster;
  readonly hosts: ChildProgram[] = [];
  readonly homes: TestHome[] = [];
  /** An engine of this process, to read what is stored. */
  readonly engine: Engine;
  readonly #resources: AsyncDisposableStack;

  private constructor(cluster: NatsCluster, engine: Engine, resources: AsyncDisposableStack) {
    this.cluster = cluster;
    this.engine = engine;
    this.#resources = resources;
  }

  static async start(): Promise<LatencyFleet> {
    await ensureBuilt();
    await using starting = new AsyncDisposableStack();
    const cluster = starting.use(await NatsCluster.start({ nodes: replicas }));
    const namespace = "fleet";
    const connection = connectionOf(cluster);
    const opened = await connectToNats(connection);
    await createFleetStorage(opened, { namespace, replicas });
    await opened.close();
    const options = { connection, namespace, host: "claim", indexContentVersion: projectionVersion };
    const engine = starting.use(await openNatsEngine(options));
    return new LatencyFleet(cluster, engine, starting.move());
  }

  get connection(): NatsConnectionOptions {
    return connectionOf(this.cluster);
  }

  /** Starts a host that takes up to `max` sessions of an agent. Resolves when it takes work. */
  async startHost(host: string, max: number, agent: HostOptions["agent"]): Promise<void> {
    const testHome = this.#resources.use(new TestHome());
    const { connection, namespace } = this;
    const options: HostOptions = { connection, namespace, host, max, home: testHome.home.folder, agent };
    const program = new URL("host.ts", import.meta.url);
    const child = this.#resources.use(new ChildProgram(program, options, { env: testHome.environment, nodeFlags }));
    await child.readLine();
    this.hosts.push(child);
    this.homes.push(testHome);
  }

  /** Sets the milliseconds that each append of the hosts waits. Returns the times of all since the last call. */
  async delayAppends(milliseconds: number): Promise<AppendTime[]> {
    for (const host of this.hosts) host.writeLine(String(milliseconds));
    return (await Promise.all(this.hosts.map((host) => host.readJson<AppendTime[]>()))).flat();
  }

  /** Starts the gateway that users have, as `fairlead gateway` does. Resolves when it answers. */
  async startGateway(): Promise<{ readonly pid: number; readonly service: ServiceUrl }> {
    const token = await new AccessTokens(this.engine.tokens).issue({ label: "claim", scopes: ["read", "drive"] });
    const testHome = this.#resources.use(new TestHome());
    const { user, pass } = this.cluster.application;
    const file = join(testHome.folder, "fleet.yaml");
    const lines = [
      `servers: ${JSON.stringify(this.cluster.servers)}`,
      `namespace: ${this.namespace}`,
      `login: { user: ${user}, passwordVariable: ${passwordVariable} }`,
    ];
    writeFileSync(file, `${lines.join("\n")}\n`);
    const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url);
    const env = { ...testHome.environment, FAIRLEAD_HOME: testHome.home.folder, [passwordVariable]: pass };
    const args = ["gateway", "--fleet", file, "--listen", "127.0.0.1:0"];
    const child = this.#resources.use(new ChildProgram(program, null, { env, nodeFlags, args }));
    for (;;) {
      const { msg, url } = await child.readJson<{ readonly msg: string; readonly url: string }>();
      if (msg === "gateway started") return { pid: child.pid, service: { url, token } };
    }
  }

  connect(service: ServiceUrl): RemoteFairlead {
    return new RemoteFairlead(nodeTransport(service));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}

function connectionOf({ servers, application }: NatsCluster): NatsConnectionOptions {
  return { servers, user: application.user, password: application.pass };
}
