import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openLoopbackNetwork } from "./loopback-network.ts";
import { openNamespaceNetwork } from "./namespace-network.ts";
import { formatNatsConfig, type NatsConfig, type NatsUser } from "./nats-config.ts";
import { NatsNode, type JetStreamReport } from "./nats-node.ts";
import { findNatsProgram, type NatsRelease } from "./nats-program.ts";
import type { Cut, NatsNetwork } from "./nats-network.ts";

export interface NatsClusterOptions {
  readonly nodes: 1 | 3;
  readonly release?: NatsRelease;
  /** The nodes that do not sync each write to disk, counted from 0. Default: none. */
  readonly lazyNodes?: readonly number[];
  /** Default: 8MB, which is 8 MiB for a server. */
  readonly maxPayload?: string;
  /** Whether the servers have a system account that clients can use. Default: yes. */
  readonly hasSystemAccount?: boolean;
  /** The users of another cluster, for one that accepts the same logins. */
  readonly users?: { readonly application: NatsUser; readonly system: NatsUser };
  /** Writes the configuration of a node, instead of `formatNatsConfig`. */
  readonly formatConfig?: (config: NatsConfig) => string;
}

const startLimit = 60_000;

/** NATS servers with JetStream and empty stores. Disposing kills them and removes the stores. */
export class NatsCluster implements AsyncDisposable {
  /** The addresses for clients. */
  readonly servers: readonly string[];
  /** The user of the account that has the streams. */
  readonly application: NatsUser;
  /** The user of the system account. The servers refuse it if they were started without one. */
  readonly system: NatsUser;
  readonly #nodes: readonly NatsNode[];
  readonly #network: NatsNetwork;
  readonly #folder: string;

  private constructor(network: NatsNetwork, options: NatsClusterOptions) {
    this.#network = network;
    this.#folder = mkdtempSync(join(tmpdir(), "fairlead-nats-"));
    this.servers = network.addresses.map(({ client }) => client);
    this.application = options.users?.application ?? { user: "fleet", pass: randomBytes(12).toString("hex") };
    this.system = options.users?.system ?? { user: "checks", pass: randomBytes(12).toString("hex") };
    this.#nodes = network.addresses.map((_, index) => this.#createNode(index, options));
  }

  /** Starts servers on free ports of loopback. Returns when JetStream is ready on all of them. */
  static async start(options: NatsClusterOptions): Promise<NatsCluster> {
    return await NatsCluster.#start(await openLoopbackNetwork(options.nodes), options);
  }

  /**
   * Starts servers in network namespaces of their own, so that links can be cut. The process must run inside `scripts/offline`;
   * it reaches the servers as their client.
   */
  static async startInNamespaces(options: NatsClusterOptions): Promise<NatsCluster> {
    return await NatsCluster.#start(await openNamespaceNetwork(options.nodes), options);
  }

  static async #start(network: NatsNetwork, options: NatsClusterOptions): Promise<NatsCluster> {
    const cluster = new NatsCluster(network, options);
    try {
      for (const node of cluster.#nodes) node.start();
      await cluster.waitUntilReady();
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  /** The process ids of the servers that run. */
  get pids(): number[] {
    return this.#nodes.filter((node) => node.isRunning).map(({ pid }) => pid);
  }

  /** Kills a server, as a lost machine would end it. */
  async kill(node: number): Promise<void> {
    await this.#at(node).kill();
  }

  /** Kills all servers at once. */
  async killAll(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
  }

  /** Starts a killed server with the store it had. Call `waitUntilReady` to wait for it. */
  restart(node: number): void {
    this.#at(node).start();
  }

  /** Stops a server's process without ending it. Its connections stay open. */
  pause(node: number): void {
    this.#at(node).pause();
  }

  resume(node: number): void {
    this.#at(node).resume();
  }

  /** Cuts the links of a node, as a pulled cable would. Only in namespaces. */
  async partition(node: number, cut: Cut): Promise<void> {
    await this.#network.cut(node, cut);
  }

  async heal(node: number): Promise<void> {
    await this.#network.heal(node);
  }

  /** Returns the node that leads a stream, once it says so itself and more than half of all servers do. */
  async findLeader(stream: string): Promise<number> {
    const end = performance.now() + startLimit;
    while (performance.now() < end) {
      const path = "/jsz?accounts=true&streams=true";
      const reports = await Promise.all(this.#nodes.map((node) => node.ask<JetStreamReport>(path)));
      const named = reports.map((report) => findStreamLeader(report, stream));
      const leader = this.#nodes.findIndex(
        ({ name }, index) =>
          named[index] === name && named.filter((other) => other === name).length > this.#nodes.length / 2,
      );
      if (leader !== -1) return leader;
      await delay(50);
    }
    throw new Error(`The servers name no leader of stream ${stream}.`);
  }

  /** Waits until JetStream is ready on all servers, and they know each other. */
  async waitUntilReady(): Promise<void> {
    const end = performance.now() + startLimit;
    while (!(await this.#isReady())) {
      const stopped = this.#nodes.find((node) => !node.isRunning);
      if (stopped !== undefined || performance.now() > end) {
        const { name, lastLines } = stopped ?? this.#at(0);
        throw new Error(
          `NATS server ${name} is not ready. If it is not installed: node scripts/install-nats.ts\n${lastLines}`,
        );
      }
      await delay(20);
    }
  }

  async #isReady(): Promise<boolean> {
    const healthy = await Promise.all(this.#nodes.map((node) => node.ask("/healthz")));
    if (healthy.includes(undefined)) return false;
    if (this.#nodes.length === 1) return true;
    const reports = await Promise.all(this.#nodes.map((node) => node.ask<JetStreamReport>("/jsz")));
    const leaders = new Set(reports.map((report) => report?.meta_cluster?.leader));
    const [leader] = leaders;
    const own = reports[this.#nodes.findIndex(({ name }) => name === leader)]?.meta_cluster;
    const replicas = own?.replicas ?? [];
    return (
      leaders.size === 1 &&
      replicas.length === this.#nodes.length - 1 &&
      replicas.every(({ current, offline }) => current === true && offline !== true)
    );
  }

  #createNode(index: number, options: NatsClusterOptions): NatsNode {
    const { addresses, prefixes } = this.#network;
    const own = addresses[index];
    if (own === undefined) throw new Error(`There is no node ${index}.`);
    const name = `n${index + 1}`;
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    const configFile = join(folder, "nats.conf");
    const config = (options.formatConfig ?? formatNatsConfig)({
      name,
      storeFolder: join(folder, "store"),
      addresses: own,
      peers: addresses.map(({ peer }) => peer),
      // A 2.9 server does not start with this setting.
      syncAlways: options.lazyNodes?.includes(index) !== true && options.release !== "2.9",
      maxPayload: options.maxPayload ?? "8MB",
      application: this.application,
      system: options.hasSystemAccount === false ? undefined : this.system,
    });
    writeFileSync(configFile, config, { mode: 0o600 });
    return new NatsNode({
      name,
      program: findNatsProgram(options.release ?? "current"),
      configFile,
      logFile: join(folder, "nats.log"),
      monitor: own.monitor,
      prefix: prefixes[index] ?? [],
    });
  }

  /** The last lines that each server logged. A server says only there why it could not create the store of a stream. */
  get lastLines(): string {
    return this.#nodes.map(({ lastLines }) => lastLines).join("\n");
  }

  /** Kills all servers and copies their configurations, logs and stores to a folder, as a recording of what went wrong. */
  async save(folder: string): Promise<void> {
    await this.killAll();
    cpSync(this.#folder, folder, { recursive: true });
  }

  #at(index: number): NatsNode {
    const node = this.#nodes[index];
    if (node === undefined) throw new Error(`There is no node ${index}.`);
    return node;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.killAll();
    await this.#network[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function findStreamLeader(report: JetStreamReport | undefined, stream: string): string | undefined {
  const streams = (report?.account_details ?? []).flatMap(({ stream_detail: details }) => details ?? []);
  return streams.find(({ name }) => name === stream)?.cluster?.leader;
}
