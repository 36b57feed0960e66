import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Fairlead } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import type { Engine } from "@fairlead/engine";
import { openNatsEngine } from "@fairlead/nats";
import { projectionVersion } from "@fairlead/runtime";
import { AccessTokens } from "@fairlead/server";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { runQuietly } from "../../scripts/run.ts";
import { FleetProcess } from "./fleet-process.ts";
import { KilledGateway } from "./killed-gateway.ts";
import { RoamingTransport } from "./roaming-transport.ts";

const namespace = "gateways";
const hostCount = 2;
const gatewayCount = 3;
/** How long a client tries to reach any gateway, in milliseconds. */
const retryTimeoutMs = 60_000;

/** Three NATS servers, two hosts and three gateways, each in a process of its own, as the commands of `fairlead` start them. */
export class GatewayFleet implements AsyncDisposable {
  readonly gateways: KilledGateway[] = [];
  readonly hosts: FleetProcess[] = [];
  /** The folder in which agents work. */
  readonly workspace: string;
  readonly engine: Engine;
  readonly #token: string;
  readonly #random: SeededRandom;
  readonly #resources: AsyncDisposableStack;

  private constructor(options: {
    readonly engine: Engine;
    readonly token: string;
    readonly workspace: string;
    readonly random: SeededRandom;
    readonly resources: AsyncDisposableStack;
  }) {
    this.engine = options.engine;
    this.workspace = options.workspace;
    this.#token = options.token;
    this.#random = options.random;
    this.#resources = options.resources;
  }

  static async start(random: SeededRandom): Promise<GatewayFleet> {
    await using opening = new AsyncDisposableStack();
    const homes = Array.from({ length: hostCount }, () => opening.use(new TestHome()));
    const folder = homes[0]?.folder ?? "";
    const cluster = opening.use(await NatsCluster.start({ nodes: 3 }));
    const { servers, application, system } = cluster;
    const fleetFile = join(folder, "fleet.yaml");
    writeFileSync(
      fleetFile,
      `servers: ${JSON.stringify(servers)}\nnamespace: ${namespace}\n` +
        `login: { user: ${application.user}, passwordVariable: FLEET_PASSWORD }\n` +
        `system: { user: ${system.user}, passwordVariable: CHECKS_PASSWORD }\n`,
    );
    const passwords = { FLEET_PASSWORD: application.pass, CHECKS_PASSWORD: system.pass };
    await initFleet(fleetFile, { ...process.env, ...passwords });
    const connection = { servers, user: application.user, password: application.pass };
    const options = { connection, namespace, host: "checker", indexContentVersion: projectionVersion };
    const engine = opening.use(await openNatsEngine(options));
    const token = await new AccessTokens(engine.tokens).issue({ label: "clients", scopes: ["read", "drive"] });
    const workspace = homes[0]?.workspace() ?? "";
    const resources = new AsyncDisposableStack();
    const fleet = new GatewayFleet({ engine, token, workspace, random, resources });
    resources.use(opening.move());
    try {
      const hosts = homes.map(({ environment, home }) =>
        FleetProcess.start(
          ["host", "join", "--fleet", fleetFile, "--max", "60"],
          { ...environment, ...passwords, FAIRLEAD_HOME: home.folder },
          "host joined",
        ),
      );
      for (const host of await Promise.all(hosts)) fleet.hosts.push(resources.use(host));
      const environment = { ...process.env, ...passwords, FAIRLEAD_HOME: join(folder, "gateway") };
      const gateways = Array.from({ length: gatewayCount }, () =>
        KilledGateway.start({ fleetFile, environment, random }),
      );
      for (const gateway of await Promise.all(gateways)) fleet.gateways.push(resources.use(gateway));
      return fleet;
    } catch (error) {
      await resources.disposeAsync();
      throw error;
    }
  }

  /** A client for each gateway, without retries. */
  connectToEach(): Fairlead[] {
    return this.#transports().map((transport) => new RemoteFairlead(transport, { retryTimeoutMs: 0 }));
  }

  /** A client that changes to another gateway with each connection, and its transport. A control continues elsewhere. */
  connectToAny(changeSequence?: (after: number) => number): {
    readonly fairlead: Fairlead;
    readonly transport: RoamingTransport;
  } {
    const transport = new RoamingTransport({
      services: this.#transports(),
      random: this.#random,
      ...(changeSequence && { changeSequence }),
    });
    return { fairlead: new RemoteFairlead(transport, { retryTimeoutMs }), transport };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }

  #transports(): ReturnType<typeof nodeTransport>[] {
    return this.gateways.map(({ url }) => nodeTransport({ url, token: this.#token }));
  }
}

async function initFleet(fleetFile: string, env: NodeJS.ProcessEnv): Promise<void> {
  const main = "packages/cli/dist/src/main.js";
  const { code, output } = await runQuietly(
    "node",
    ["--conditions=built", main, "fleet", "init", "--fleet", fleetFile],
    { env },
  );
  if (code !== 0) throw new Error(output);
}
