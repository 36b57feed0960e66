import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openSqliteLog } from "@fairlead/journal";
import { Child } from "../claims/child.ts";
import { Ground } from "../claims/ground.ts";
import { claimOf, type Bench } from "./figure.ts";
import { median } from "./quantile.ts";
import type { BareAppendOptions } from "./throughput/bare-append.ts";
import type { FloodOptions } from "./throughput/driver.ts";
import type { Received, SubscriberOptions } from "./throughput/subscriber.ts";

const lines = 50_000;
const runs = 3;
const bounds = { rate: 40_000, ratio: 0.5 };
/** The runtime has one core to itself; agent, keeper and subscriber share the other. */
const cores = { runtime: 0, others: 1 };
const pinned = (core: number): readonly string[] => ["taskset", "-c", String(core)];

interface Run {
  readonly rate: number;
  /** Events that the runtime could do on a core that never waits. */
  readonly perCpuSecond: number;
  readonly lost: number;
  readonly commits: number;
  readonly bare: number;
}

export const throughputBench: Bench = {
  id: "throughput",
  says: "Events go from an agent to a subscriber in another process as fast as one core of the runtime can take them.",
  bound: `≥ ${bounds.rate} events/s, ≥ ${bounds.ratio} × bare appends, none lost`,
  async measure() {
    const all: Run[] = [];
    for (let run = 0; run < runs; run += 1) all.push(await flood());
    const [rate, bare] = [median(all.map((one) => one.rate)), median(all.map((one) => one.bare))];
    const lost = all.reduce((sum, one) => sum + one.lost, 0);
    const perSecond = (value: number): string => `${Math.round(value).toLocaleString("en")}/s`;
    const perCpuSecond = perSecond(median(all.map((one) => one.perCpuSecond)));
    const commits = median(all.map((one) => one.commits));
    return [
      {
        name: `throughput of ${lines.toLocaleString("en")} events`,
        measured: `${perSecond(rate)}, ${lost} lost, ${commits} commits; ${perCpuSecond} of the runtime's own time`,
        floor: perSecond(bare),
        ratio: `${(rate / bare).toFixed(2)} ×`,
        bound: this.bound,
        holds: rate >= bounds.rate && rate / bare >= bounds.ratio && lost === 0,
      },
    ];
  },
};

export const throughput = claimOf(throughputBench);

async function flood(): Promise<Run> {
  await using ground = new Ground();
  const { environment: env, home } = ground;
  const options: FloodOptions = { home: home.folder, workspace: ground.workspace(), lines, core: cores.runtime };
  const under = pinned(cores.others);
  await using driver = new Child(new URL("throughput/driver.ts", import.meta.url), options, { env, under });
  const session = await driver.line();
  const reading: SubscriberOptions = { home: home.folder, session };
  await using subscriber = new Child(new URL("throughput/subscriber.ts", import.meta.url), reading, { env, under });
  await subscriber.line();
  driver.say("go");
  const began = BigInt(await driver.line());
  const { inOrder, texts, at } = await subscriber.told<Received>();
  driver.say("end");
  const cpu = Number(await driver.line());
  await driver.ended;
  const commits = await commitsOf(home.journal, session);
  const seconds = Number(BigInt(at) - began) / 1e9;
  return {
    rate: lines / seconds,
    perCpuSecond: lines / cpu,
    lost: lines - inOrder + (texts - inOrder),
    commits: commits.length,
    bare: lines / bareSeconds({ file: join(ground.folder, "bare.db"), commits }),
  };
}

/** The sizes of the events in each frame of the journal: each frame was a commit, as only one session wrote. */
async function commitsOf(file: string, session: string): Promise<number[][]> {
  await using log = await openSqliteLog({ file });
  return await Array.fromAsync(log.read(session, 0), (frame) => frame.events.map((event) => event.byteLength));
}

function bareSeconds(options: BareAppendOptions): number {
  const program = new URL("throughput/bare-append.ts", import.meta.url).pathname;
  const [command, ...args] = [...pinned(cores.runtime), process.execPath, program];
  const { stdout } = spawnSync(command, args, { input: JSON.stringify(options), encoding: "utf8" });
  return Number(stdout);
}
