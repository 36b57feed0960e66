/** Loses machines of a fleet in turn, and prints what its sessions did as JSON: `node kill-hosts.ts '{"sessions":20,"clones":4,"kills":10}'`. */
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { describeRun, type RunResult } from "../fleet-machines/describe-run.ts";
import { MachineFleet } from "../fleet-machines/machine-fleet.ts";

export interface KillOptions {
  readonly sessions: number;
  /** How many of them work in clones of a repository. */
  readonly clones: number;
  readonly kills: number;
}

export interface KillResult extends RunResult {
  /** Seconds after each kill until the last session had carried out a message on another machine. */
  readonly answered: readonly number[];
  /** Clones that were compared with the last snapshot before a kill, and those that differed. */
  readonly trees: number;
  readonly differingTrees: readonly string[];
}

const { sessions, clones, kills } = JSON.parse(process.argv[2] ?? "") as KillOptions;
const random = SeededRandom.fromEnvironment();
const machines = ["north", "south"].map((name) => ({ name, environment: () => ({}) }));
await using fleet = await MachineFleet.start({ random, machines, max: 2 * sessions });
const [first, second] = fleet.machines;
if (first === undefined || second === undefined) throw new Error("The fleet has no machines.");
await first.start();
await fleet.startWorkers(sessions, clones);
await second.start();
console.error(`${sessions} sessions work on ${first.name}.`);
const answered: number[] = [];
const differingTrees: string[] = [];
let trees = 0;
for (let kill = 0; kill < kills; kill += 1) {
  const [victim, survivor] = kill % 2 === 0 ? [first, second] : [second, first];
  await delay(2000 + random.nextBelow(2000)); // the rate of the kills; no condition depends on it
  const { name } = victim;
  const killedAt = performance.now();
  await victim.lose();
  const cloned = fleet.workers.filter(({ hasClone }) => hasClone);
  const snapshots = cloned.map(({ session }) => ({ session, tree: readSnapshot(session) }));
  const milliseconds = await fleet.waitUntilAnswered(killedAt, name);
  answered.push(milliseconds / 1000);
  console.error(`${name} lost: all sessions answered after ${(milliseconds / 1000).toFixed(1)} s.`);
  for (const { session, tree } of snapshots) {
    const found = fleet.records.readTree(session, survivor.name);
    trees += 1;
    if (found !== tree) differingTrees.push(`${session} on ${survivor.name}: ${found} instead of ${tree}`);
  }
  await victim.start();
}
await fleet.finishWorkers();
console.log(
  JSON.stringify({ answered, trees, differingTrees, ...(await describeRun(fleet, random)) } satisfies KillResult),
);

/** The tree of the last snapshot of a session in the repository. */
function readSnapshot(session: string): string {
  return fleet.repository.git("rev-parse", `refs/fairlead/${session}^{tree}`);
}
