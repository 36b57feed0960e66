/**
 * Separates hosts of a fleet from the others, and prints what their sessions did as JSON. It must run inside scripts/offline:
 * `node separate-hosts.ts '{"sessions":10,"seconds":60,"faults":["cut","killed","paused"],"isFreezing":true}'`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { NatsCluster } from "@fairlead/testing/nats/nats-cluster.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { describeRun, type RunResult } from "../fleet-machines/describe-run.ts";
import type { FleetMachine } from "../fleet-machines/fleet-machine.ts";
import { MachineFleet } from "../fleet-machines/machine-fleet.ts";
import { MachineLinks } from "../fleet-machines/machine-links.ts";

/** `cut`: from the servers. `killed`: the process of the host alone. `paused`: all of the machine. */
export type Separation = "cut" | "killed" | "paused";

export interface SeparationOptions {
  readonly sessions: number;
  /** How long a host is cut off or paused. */
  readonly seconds: number;
  readonly faults: readonly Separation[];
  readonly isFreezing: boolean;
}

export interface SeparationResult extends RunResult {
  /** Seconds after each fault until the last session had carried out a message on the other machine. */
  readonly answered: Readonly<Partial<Record<Separation, number>>>;
  /** The agents that each fault separated from the fleet. */
  readonly separated: Readonly<Partial<Record<Separation, readonly string[]>>>;
}

const { sessions, seconds, faults, isFreezing } = JSON.parse(process.argv[2] ?? "") as SeparationOptions;
const random = SeededRandom.fromEnvironment();
const links = new MachineLinks();
const machines = ["east", "west"].map((name) => ({
  name,
  environment: () => ({}),
  connect: (machine: FleetMachine["machine"]) => links.connect(name, machine),
}));
const openCluster = (): Promise<NatsCluster> => NatsCluster.startInNamespaces({ nodes: 3 });
await using fleet = await MachineFleet.start({ random, machines, max: 2 * sessions, isFreezing, openCluster });
const [east, west] = fleet.machines;
if (east === undefined || west === undefined) throw new Error("The fleet has no machines.");
await east.start();
await fleet.startWorkers(sessions);
await west.start();
console.error(`${sessions} sessions work on ${east.name}.`);
const answered: Partial<Record<Separation, number>> = {};
const separated: Partial<Record<Separation, readonly string[]>> = {};
let [here, there] = [east, west];
for (const fault of faults) {
  await delay(3000);
  const { name } = here;
  separated[fault] = fleet.records.readBeats().flatMap(({ host, agent }) => (host === name ? [agent] : []));
  const link = here === east ? "east" : "west";
  const since = performance.now();
  if (fault === "cut") await links.cut(link);
  else if (fault === "killed") await here.killHost();
  else await here.machine.pause();
  const moved = await fleet.waitUntilAnswered(since, name);
  answered[fault] = moved / 1000;
  console.error(`${name} ${fault}: all sessions answered after ${(moved / 1000).toFixed(1)} s.`);
  await delay(Math.max(0, since + seconds * 1000 - performance.now()));
  if (fault === "cut") await links.heal(link);
  else if (fault === "killed") await here.startHost();
  else here.resume();
  // The host joins again, and finds that its sessions have another owner. Its agents end.
  await delay(15_000);
  [here, there] = [there, here];
}
await fleet.finishWorkers();
console.log(JSON.stringify({ answered, separated, ...(await describeRun(fleet, random)) } satisfies SeparationResult));
