import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fairlead } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import type { PolicyRequest } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { connectToNats, createFleetStorage, openNatsEngine } from "@fairlead/nats";
import { projectionVersion } from "@fairlead/runtime";
import { AccessTokens } from "@fairlead/server";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { RoamingTransport } from "../gateway-any/roaming-transport.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { AgentRecords } from "./agent-records.ts";
import { FleetMachine, type FleetMachineOptions } from "./fleet-machine.ts";
import { FleetGateway } from "./fleet-gateway.ts";
import { SessionWorker, workProgram } from "./session-worker.ts";

const namespace = "machines";
const replicas = 3;
const gatewayCount = 2;
const passwordVariable = "FLEET_PASSWORD";
/** How long a client tries to reach any gateway, in milliseconds. */
const retryTimeoutMs = 60_000;

export interface MachineFleetOptions {
  readonly random: SeededRandom;
  /** The machines that hosts get. They are started by the caller. */
  readonly machines: readonly Pick<FleetMachineOptions, "name" | "connect" | "environment">[];
  /** See `FleetMachineOptions`. */
  readonly isFreezing?: boolean;
  /** The sessions that each host takes. */
  readonly max: number;
  /** Opens the servers. Default: on loopback. */
  readonly openCluster?: () => Promise<NatsCluster>;
}

/** Three NATS servers, two gateways, and machines with hosts, as the commands of `fairlead` start them. */
export class MachineFleet implements AsyncDisposable {
  readonly cluster: NatsCluster;
  readonly engine: Engine;
  readonly gateways: readonly FleetGateway[];
  readonly machines: readonly FleetMachine[];
  /** The folder in which agents work. Each machine has it at the same path. */
  readonly workspace: string;
  readonly fleetFile: string;
  /** The repository of those sessions that have one. */
  readonly repository: PersonRepository;
  readonly records: AgentRecords;
  readonly workers: SessionWorker[] = [];
  readonly #token: string;
  readonly #random: SeededRandom;
  readonly #resources: AsyncDisposableStack;

  private constructor(
    parts: Pick<MachineFleet, "cluster" | "engine" | "gateways" | "machines" | "fleetFile"> & {
      readonly folder: string;
      readonly token: string;
      readonly random: SeededRandom;
      readonly resources: AsyncDisposableStack;
    },
  ) {
    this.cluster = parts.cluster;
    this.engine = parts.engine;
    this.gateways = parts.gateways;
    this.machines = parts.machines;
    this.workspace = join(parts.folder, "w");
    this.fleetFile = parts.fleetFile;
    this.repository = new PersonRepository(join(parts.folder, "repository"));
    this.records = new AgentRecords(join(parts.folder, "records"));
    for (const folder of [this.workspace, this.records.folder]) mkdirSync(folder);
    this.#token = parts.token;
    this.#random = parts.random;
    this.#resources = parts.resources;
  }

  static async start(options: MachineFleetOptions): Promise<MachineFleet> {
    const { random, max, isFreezing = true, openCluster = () => NatsCluster.start({ nodes: replicas }) } = options;
    await using opening = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), "mf-"));
    opening.defer(() => rmSync(folder, { recursive: true, force: true }));
    const cluster = opening.use(await openCluster());
    const { servers, application } = cluster;
    const connection = { servers, user: application.user, password: application.pass };
    const natsConnection = await connectToNats(connection);
    await createFleetStorage(natsConnection, { namespace, replicas });
    await natsConnection.close();
    const fleetFile = join(folder, "fleet.yaml");
    writeFileSync(
      fleetFile,
      `servers: ${JSON.stringify(servers)}\nnamespace: ${namespace}\n` +
        `login: { user: ${application.user}, passwordVariable: ${passwordVariable} }\n`,
    );
    const checker = { connection, namespace, host: "checker", indexContentVersion: projectionVersion };
    const engine = opening.use(await openNatsEngine(checker));
    const token = await new AccessTokens(engine.tokens).issue({ label: "claim", scopes: ["read", "drive", "approve"] });
    const password = { [passwordVariable]: application.pass };
    const gatewayEnvironment = { ...process.env, ...password, FAIRLEAD_HOME: join(folder, "gateway") };
    const gateways: FleetGateway[] = [];
    for (let number = 0; number < gatewayCount; number += 1)
      gateways.push(opening.use(await FleetGateway.start({ fleetFile, environment: gatewayEnvironment, random })));
    const workspaces = join(folder, "clones");
    mkdirSync(workspaces);
    const machines = options.machines.map((machine) => {
      const environment = (own: string): NodeJS.ProcessEnv => ({ ...machine.environment(own), ...password });
      return opening.use(new FleetMachine({ ...machine, fleetFile, workspaces, max, isFreezing, environment }));
    });
    return new MachineFleet({
      cluster,
      engine,
      gateways,
      machines,
      fleetFile,
      folder,
      token,
      random,
      resources: opening.move(),
    });
  }

  /** A client that changes to another gateway with each connection, and tries again while none answers. */
  connect(): Fairlead {
    const services = this.gateways.map(({ url }) => nodeTransport({ url, token: this.#token }));
    return new RemoteFairlead(new RoamingTransport({ services, random: this.#random }), { retryTimeoutMs });
  }

  /**
   * Starts sessions, some of them in clones of a repository, and workers that send messages to them. Resolves when each has
   * done what its first message says.
   */
  async startWorkers(count: number, clones = 0): Promise<void> {
    const since = performance.now();
    const fairlead = this.connect();
    const source = { url: this.repository.folder, ref: "main" };
    await mapConcurrently(4, Array.from({ length: count }), async (_, at) => {
      const policy: PolicyRequest = { rules: [{ verdict: "allow", command: `perl ${workProgram}` }] };
      const sandbox = { kind: "none" } as const;
      const place = at < clones ? { repository: source } : { workspace: this.workspace };
      const { session } = await fairlead.start({ agent: "scripted", ...place, mode: "full-auto", policy, sandbox });
      const options = { session, hasClone: at < clones, records: this.records.folder, random: this.#random };
      this.workers.push(new SessionWorker({ fairlead: this.connect(), ...options }));
    });
    await this.waitUntilAnswered(since);
  }

  /** Waits until each session has carried out a message since a moment. Returns the milliseconds until the last has. */
  async waitUntilAnswered(since: number, except?: string, limit = 120_000): Promise<number> {
    for (;;) {
      const answers = this.workers.map((worker) => worker.findAnswer(since, except));
      for (const worker of this.workers) await worker.check();
      if (answers.every((answer) => answer !== undefined))
        return Math.max(...answers.map(({ endedAt = 0 }) => endedAt)) - since;
      if (performance.now() - since > limit) {
        const silent = this.workers.filter((_, index) => answers[index] === undefined);
        throw new Error(`These sessions do not answer:\n${silent.map((worker) => worker.describe()).join("\n")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Lets all turns end, and sends no more. */
  async finishWorkers(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.finish()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
  }
}
