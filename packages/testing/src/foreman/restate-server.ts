import { spawn, type ChildProcess } from "node:child_process";
import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Where `node scripts/install-restate.ts` puts the server. It is never a dependency of the product. */
export const restateFolder = join(import.meta.dirname, "../../../../.agents/restate/");
export const restatePackage = "@restatedev/restate-server-linux-x64";
const program = join(restateFolder, "node_modules", restatePackage, "bin/restate-server");

interface NodePorts {
  readonly fabric: number;
  readonly ingress: number;
  readonly admin: number;
}

/** A node of a test server, on loopback. */
export class RestateNode {
  readonly ingress: string;
  readonly admin: string;
  readonly #process: ChildProcess;

  constructor(ports: NodePorts, process: ChildProcess) {
    this.ingress = `http://127.0.0.1:${ports.ingress}`;
    this.admin = `http://127.0.0.1:${ports.admin}`;
    this.#process = process;
  }

  /** The memory of the process in bytes. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.#process.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  }

  /** Kills the process, as a lost machine would end it. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await exited;
  }

  async isHealthy(): Promise<boolean> {
    try {
      const answers = await Promise.all([fetch(`${this.admin}/health`), fetch(`${this.ingress}/restate/health`)]);
      return answers.every(({ ok }) => ok);
    } catch {
      return false;
    }
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null;
  }
}

/** A Restate server of one or more nodes with an empty store. Disposing kills the nodes and removes the store. */
export class RestateServer implements AsyncDisposable {
  readonly nodes: readonly RestateNode[];
  /** The public key with which the server signs its calls, as the SDK wants it. */
  readonly identityKey: string;
  /** The milliseconds until all nodes were healthy. */
  readonly startTime: number;
  readonly #folder: string;

  private constructor(parts: Pick<RestateServer, "nodes" | "identityKey" | "startTime">, folder: string) {
    this.nodes = parts.nodes;
    this.identityKey = parts.identityKey;
    this.startTime = parts.startTime;
    this.#folder = folder;
  }

  /** Starts a server. With three nodes, each record is on two of them. Call it only inside `scripts/offline`. */
  static async start(nodeCount: 1 | 3): Promise<RestateServer> {
    const begin = performance.now();
    const folder = mkdtempSync(join(tmpdir(), "fairlead-restate-"));
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    const ports = await findPorts(nodeCount);
    const nodes = ports.map((own, index) => startNode(folder, index, ports, own));
    const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
    const identityKey = `publickeyv1_${encodeBase58(raw)}`;
    const parts = { nodes, identityKey, startTime: 0 };
    try {
      for (const node of nodes) await waitUntilHealthy(node, folder);
    } catch (error) {
      await new RestateServer(parts, folder)[Symbol.asyncDispose]();
      throw error;
    }
    return new RestateServer({ ...parts, startTime: performance.now() - begin }, folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const node of this.nodes) await node.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

function startNode(folder: string, index: number, all: readonly NodePorts[], own: NodePorts): RestateNode {
  const name = `n${index + 1}`;
  mkdirSync(join(folder, name));
  const config = join(folder, `${name}.toml`);
  const addresses = all.map(({ fabric }) => `"http://127.0.0.1:${fabric}"`).join(", ");
  const lines = [
    `cluster-name = "${createHash("sha256").update(folder).digest("hex").slice(0, 16)}"`,
    `node-name = "${name}"`,
    `base-dir = "${join(folder, name)}"`,
    `auto-provision = ${index === 0}`,
    // Enough that each of three nodes leads some.
    `default-num-partitions = 8`,
    `default-replication = ${Math.min(2, all.length)}`,
    `disable-telemetry = true`,
    `listen-mode = "tcp"`,
    `bind-ip = "127.0.0.1"`,
    `bind-port = ${own.fabric}`,
    `advertised-address = "http://127.0.0.1:${own.fabric}"`,
    `rocksdb-total-memory-size = "256 MB"`,
    `log-format = "compact"`,
    `log-filter = "warn"`,
    `[metadata-client]`,
    `addresses = [${addresses}]`,
    `[ingress]`,
    `bind-port = ${own.ingress}`,
    `[admin]`,
    `bind-port = ${own.admin}`,
    `disable-web-ui = true`,
    `[worker.invoker]`,
    `request-identity-private-key-pem-file = "${join(folder, "key.pem")}"`,
  ];
  writeFileSync(config, `${lines.join("\n")}\n`);
  const child = spawn(program, ["--no-logo", "--config-file", config], { stdio: ["ignore", "ignore", "inherit"] });
  child.on("error", () => {}); // `waitUntilHealthy` reports it
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  return new RestateNode(own, child);
}

async function waitUntilHealthy(node: RestateNode, folder: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await node.isHealthy())) {
    if (node.hasExited || performance.now() > end) {
      throw new Error(`Restate did not start in ${folder}. Install it with: node scripts/install-restate.ts`);
    }
    await delay(20);
  }
}

/** Finds free ports. All are open at the same time, so that none is found twice. */
async function findPorts(nodeCount: number): Promise<NodePorts[]> {
  const servers = await Promise.all(
    Array.from({ length: 3 * nodeCount }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return Array.from({ length: nodeCount }, (_, index) => {
    const [fabric = 0, ingress = 0, admin = 0] = ports.slice(3 * index);
    return { fabric, ingress, admin };
  });
}

/** Encodes bytes in base 58, with the alphabet of Bitcoin. */
function encodeBase58(bytes: Uint8Array): string {
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  let number = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (; number > 0n; number /= 58n) text = `${alphabet[Number(number % 58n)]}${text}`;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(Math.max(0, zeros)) + text;
}
