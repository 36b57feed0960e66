/** Replaces the parts of a fleet in turn while its sessions work, and prints what they did as JSON: `node replace-parts.ts '{"sessions":20}'`. */
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { runQuietly } from "../../scripts/run.ts";
import { describeRun, type RunResult } from "../fleet-machines/describe-run.ts";
import { MachineFleet } from "../fleet-machines/machine-fleet.ts";

export interface ReplaceOptions {
  readonly sessions: number;
}

export interface ReplaceResult extends RunResult {
  readonly brokers: number;
  readonly gateways: number;
  /** Sessions that drains moved, and what those said that left none there. */
  readonly moved: number;
  readonly left: readonly string[];
  /** Hosts that were replaced in place, the agents that they had, and those of them that worked after it. */
  readonly inPlace: number;
  readonly agentsBefore: number;
  readonly agentsAfter: number;
  /** Messages whose turn was not completed. */
  readonly cut: readonly string[];
}

interface DrainReply {
  readonly moved: readonly string[];
  readonly left: readonly { readonly session: string; readonly reason: string }[];
}

const { sessions } = JSON.parse(process.argv[2] ?? "") as ReplaceOptions;
const random = SeededRandom.fromEnvironment();
const machines = ["upper", "lower"].map((name) => ({ name, environment: () => ({}) }));
await using fleet = await MachineFleet.start({ random, machines, max: 2 * sessions });
const startedAt = performance.now();
const report = (text: string): void =>
  console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s: ${text}`);
const [upper, lower] = fleet.machines;
if (upper === undefined || lower === undefined) throw new Error("The fleet has no machines.");
await upper.start();
await fleet.startWorkers(sessions);
await lower.start();
const agents = new Set(listAgents());

for (const node of fleet.cluster.servers.keys()) {
  await fleet.cluster.kill(node);
  fleet.cluster.restart(node);
  await fleet.cluster.waitUntilReady();
  report(`Server ${node + 1} was replaced.`);
  await fleet.waitUntilAnswered(performance.now());
}
for (const gateway of fleet.gateways) {
  await gateway.replace();
  report("A gateway was replaced.");
  await fleet.waitUntilAnswered(performance.now());
}
let inPlace = 0;
for (const machine of [upper, lower]) {
  await machine.stopHost();
  await delay(5000);
  await machine.startHost();
  inPlace += 1;
  report(`The host of ${machine.name} was replaced in place.`);
  await fleet.waitUntilAnswered(performance.now());
}
// Agents beat also between turns.
const beforeCount = performance.now() / 1000;
await delay(2000);
const agentsAfter = listAgents(beforeCount).filter((agent) => agents.has(agent)).length;
const agentCount = fleet.records.readBeats().length;
let moved = 0;
const left: string[] = [];
for (const [old, other] of [
  [upper, lower],
  [lower, upper],
] as const) {
  const { name } = old;
  const reply = await drain(old.host);
  moved += reply.moved.length;
  left.push(...reply.left.map(({ session, reason }) => `${session}: ${reason}`));
  report(`${name} was drained: ${reply.moved.length} sessions moved.`);
  await fleet.waitUntilAnswered(performance.now(), name);
  await old.stopHost();
  await old.lose();
  await old.start();
  report(`${name} was replaced by ${old.name}, beside ${other.name}.`);
}
await fleet.finishWorkers();
const messages = fleet.workers.flatMap((worker) => worker.messages);
console.log(
  JSON.stringify({
    brokers: fleet.cluster.servers.length,
    gateways: fleet.gateways.length,
    moved,
    left,
    inPlace,
    agentsBefore: agents.size,
    agentsAfter: agentCount === agents.size ? agentsAfter : -1,
    cut: messages.flatMap(({ id, outcome, failure }) =>
      outcome === "completed" ? [] : [`${id} ${outcome}: ${failure}`],
    ),
    ...(await describeRun(fleet, random)),
  } satisfies ReplaceResult),
);

/** The agents that work, or that have worked since some time on the monotonic clock of this machine. */
function listAgents(since = 0): string[] {
  return fleet.records
    .readBeats()
    .flatMap(({ session, agent, times }) => ((times.at(-1) ?? 0) >= since ? [`${session} ${agent}`] : []));
}

async function drain(host: string): Promise<DrainReply> {
  const { application } = fleet.cluster;
  const args = ["fleet", "drain", host, "--fleet", fleet.fleetFile, "--json"];
  const { code, output } = await runQuietly("node", ["--conditions=built", "packages/cli/dist/src/main.js", ...args], {
    env: { ...process.env, FLEET_PASSWORD: application.pass },
  });
  const line = output.split("\n").find((text) => text.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as DrainReply;
}
