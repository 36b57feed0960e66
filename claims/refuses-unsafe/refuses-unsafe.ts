import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NatsCluster, type NatsClusterOptions } from "@fairlead/testing/nats/nats-cluster.ts";
import { connect } from "@nats-io/transport-node";
import type { Claim } from "../../measure/claim.ts";
import { logStreamConfig } from "../../packages/nats/src/cluster/create-streams.ts";
import { StreamLayout } from "../../packages/nats/src/log/stream-layout.ts";
import { runQuietly } from "../../scripts/run.ts";

interface UnsafeServers {
  readonly name: string;
  readonly options: NatsClusterOptions;
  /** The sentence that must be printed for them. */
  readonly sentence: RegExp;
  /** Whether the sentence is the only one. Old servers have other problems too. */
  readonly isOnlyProblem: boolean;
}

const cases: readonly UnsafeServers[] = [
  {
    name: "2.9",
    options: { nodes: 3, release: "2.9" },
    sentence: /^Server n\d has version 2\.9\.\d+, .*: upgrade it to 2\.12 or newer\.$/,
    isOnlyProblem: false,
  },
  {
    name: "2.10",
    options: { nodes: 3, release: "2.10" },
    sentence: /^Server n\d has version 2\.10\.\d+, .*: upgrade it to 2\.12 or newer\.$/,
    isOnlyProblem: false,
  },
  {
    name: "one server",
    options: { nodes: 1 },
    sentence: /^The cluster has 1 server with JetStream, .*: run three as a cluster\.$/,
    isOnlyProblem: true,
  },
  {
    name: "one of three does not sync always",
    options: { nodes: 3, lazyNodes: [1] },
    sentence: /^Server n2 acknowledges events before they are on disk: set `sync_interval: always`/,
    isOnlyProblem: true,
  },
  {
    name: "max_payload of 1 MiB",
    options: { nodes: 3, maxPayload: "1MB" },
    sentence: /^Server n\d accepts messages of 1 MiB, .*: set `max_payload: 8MB`\.$/,
    isOnlyProblem: false,
  },
  {
    name: "no system account",
    options: { nodes: 3, hasSystemAccount: false },
    sentence: /^Whether the servers sync each write to disk cannot be checked without their system account: /,
    isOnlyProblem: true,
  },
];

export const refusesUnsafe: Claim = {
  id: "refuses-unsafe",
  statement: "`fairlead fleet init` refuses servers that could lose or double events, and says what to change.",
  bound: `${cases.map(({ name }) => name).join(", ")}: each refused by its sentence, without a stream; three safe servers: accepted, twice; control: without the checks each of them gets its streams`,
  async prove() {
    const installed = await runQuietly("node", ["scripts/install-nats.ts"]);
    if (installed.code !== 0) throw new Error(installed.output);
    const wrong: string[] = [];
    let created = 0;
    for (const unsafe of cases) {
      await using cluster = await NatsCluster.start(unsafe.options);
      const { code, output } = await runInit(cluster, unsafe.options);
      const problem = findProblem(unsafe, code, output);
      if (problem !== undefined) wrong.push(`${unsafe.name}: ${problem}`);
      if ((await createUnchecked(cluster, unsafe.options.nodes)) > 0) created++;
    }
    await using safe = await NatsCluster.start({ nodes: 3 });
    const runs = [await runInit(safe, { nodes: 3 }), await runInit(safe, { nodes: 3 })];
    const accepted = runs.filter(({ code }) => code === 0).length;
    return {
      measured:
        `${cases.length - wrong.length} of ${cases.length} unsafe servers refused by their sentence; safe servers accepted ` +
        `${accepted} times of 2; control: ${created} of ${cases.length} get streams without the checks` +
        wrong.map((problem) => `; ${problem}`).join(""),
      holds: wrong.length === 0 && accepted === 2 && created === cases.length,
    };
  },
};

function findProblem({ sentence, isOnlyProblem }: UnsafeServers, code: number, output: string): string | undefined {
  const lines = output.split("\n").map((line) => line.replace(/^fairlead: /, ""));
  const sentences = lines.filter((line) => line !== "" && !line.startsWith("Then run: "));
  if (code === 0) return "accepted";
  if (!sentences.some((line) => sentence.test(line))) return `refused with: ${sentences.join(" ")}`;
  return isOnlyProblem && sentences.length > 1 ? `also refused with: ${sentences.join(" ")}` : undefined;
}

async function runInit(
  cluster: NatsCluster,
  { hasSystemAccount = true }: NatsClusterOptions,
): Promise<{ readonly code: number; readonly output: string }> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "fairlead-refuses-"));
  const file = join(folder.path, "fleet.yaml");
  const lines = [
    `servers: [${cluster.servers.map((server) => `"${server}"`).join(", ")}]`,
    `login: { user: ${cluster.application.user}, passwordVariable: LOGIN }`,
    ...(hasSystemAccount ? [`system: { user: ${cluster.system.user}, passwordVariable: SYSTEM }`] : []),
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const secrets = { LOGIN: cluster.application.pass, SYSTEM: cluster.system.pass };
  const env = { ...process.env, FAIRLEAD_HOME: join(folder.path, "home"), ...secrets };
  return await runQuietly("node", ["packages/cli/src/main.ts", "fleet", "init", "--fleet", file], { env });
}

/**
 * Creates streams as `fleet init` would without its checks, and without those of the client, which knows that 2.9 ignores
 * some settings. Returns their number.
 */
async function createUnchecked(cluster: NatsCluster, replicas: number): Promise<number> {
  await using connection = await connect({ servers: [...cluster.servers], ...cluster.application });
  const before = await countStreams(connection);
  if (before > 0) throw new Error(`A refused cluster got ${before} streams.`);
  const layout = new StreamLayout("control", 2);
  for (const partition of [0, 1]) {
    const config = logStreamConfig(layout, partition, replicas);
    const request = JSON.stringify(config);
    await connection.request(`$JS.API.STREAM.CREATE.${config.name}`, request, { timeout: 10_000 });
  }
  return await countStreams(connection);
}

async function countStreams(connection: Awaited<ReturnType<typeof connect>>): Promise<number> {
  const answer = await connection.request("$JS.API.STREAM.NAMES", "{}", { timeout: 5000 });
  return answer.json<{ readonly total: number }>().total;
}
