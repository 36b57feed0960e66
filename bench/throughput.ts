import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openSqliteLog } from "@fairlead/journal";
import { ChildProgram } from "../measure/child-program.ts";
import { TestHome } from "../measure/test-home.ts";
import { claimFromBenchmark, type Benchmark } from "../measure/benchmark.ts";
import { median } from "../measure/quantile.ts";
import type { BareAppendOptions } from "./throughput/bare-append.ts";
import type { FloodOptions } from "./throughput/driver.ts";
import type { Received, SubscriberOptions } from "./throughput/subscriber.ts";

const lines = 50_000;
const runs = 3;
const bounds = { rate: 40_000, ratio: 0.5 };
/** The runtime has one core; agent, keeper and subscriber share the other. */
const cores = { runtime: 0, others: 1 };
const pinToCore = (core: number): readonly string[] => ["taskset", "-c", String(core)];

interface ThroughputRun {
  readonly rate: number;
  /** Events per second of CPU time. */
  readonly perCpuSecond: number;
  readonly lost: number;
  readonly commits: number;
  readonly bare: number;
}

export const throughputBench: Benchmark = {
  id: "throughput",
  statement: "Events reach a subscriber in another process as fast as one core of the runtime can process them.",
  bound: `≥ ${bounds.rate} events/s, ≥ ${bounds.ratio} × bare appends, none lost`,
  async measure() {
    const all: ThroughputRun[] = [];
    for (let run = 0; run < runs; run += 1) all.push(await measureFlood());
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

export const throughput = claimFromBenchmark(throughputBench);

async function measureFlood(): Promise<ThroughputRun> {
  await using testHome = new TestHome();
  const { environment: env, home } = testHome;
  const options: FloodOptions = { home: home.folder, workspace: testHome.workspace(), lines, core: cores.runtime };
  const wrapper = pinToCore(cores.others);
  await using driver = new ChildProgram(new URL("throughput/driver.ts", import.meta.url), options, { env, wrapper });
  const session = await driver.readLine();
  const subscriberOptions: SubscriberOptions = { home: home.folder, session };
  await using subscriber = new ChildProgram(new URL("throughput/subscriber.ts", import.meta.url), subscriberOptions, {
    env,
    wrapper,
  });
  await subscriber.readLine();
  driver.writeLine("go");
  const startedAt = BigInt(await driver.readLine());
  const { inOrder, texts, at } = await subscriber.readJson<Received>();
  driver.writeLine("end");
  const cpu = Number(await driver.readLine());
  await driver.ended;
  const commits = await readCommitSizes(home.journalFile, session);
  const seconds = Number(BigInt(at) - startedAt) / 1e9;
  return {
    rate: lines / seconds,
    perCpuSecond: lines / cpu,
    lost: lines - inOrder + (texts - inOrder),
    commits: commits.length,
    bare: lines / measureBareAppend({ file: join(testHome.folder, "bare.db"), commits }),
  };
}

/** The sizes of the events in each batch of the journal: each batch was a commit, because only one session wrote. */
async function readCommitSizes(file: string, session: string): Promise<number[][]> {
  await using log = await openSqliteLog({ file });
  return await Array.fromAsync(log.read(session, 0), (batch) => batch.events.map((event) => event.byteLength));
}

function measureBareAppend(options: BareAppendOptions): number {
  const program = new URL("throughput/bare-append.ts", import.meta.url).pathname;
  const [command, ...args] = [...pinToCore(cores.runtime), process.execPath, program];
  const { stdout } = spawnSync(command, args, { input: JSON.stringify(options), encoding: "utf8" });
  return Number(stdout);
}
