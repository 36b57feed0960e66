import { join } from "node:path";
import { ChildProgram } from "../measure/child-program.ts";
import { TestHome } from "../measure/test-home.ts";
import type { LatencyOptions } from "./event-latency/driver.ts";
import type { JournalFollowerOptions } from "./event-latency/journal-follower.ts";
import { claimFromBenchmark, type Benchmark, type Figure } from "../measure/benchmark.ts";
import { median, quantile } from "../measure/quantile.ts";

/** In rounds, alternating with the floors, because the load on a shared machine varies. */
const rounds = 5;
const ticking = { rate: 1000, count: 5000 };
const bounds = { p50: 2, p99: 15 };

interface LatencyRound {
  /** The same agent over a pipe, without durability. */
  readonly pipe: number[];
  /** The same over a pipe, a bare database with one commit per chunk, and a notification: the minimum for durability. */
  readonly database: number[];
  readonly ours: number[];
}

export const eventLatencyBench: Benchmark = {
  id: "event-latency",
  statement: "Agent output is a durable event in another process within milliseconds.",
  bound: `p50 ≤ ${bounds.p50} ms, p99 ≤ ${bounds.p99} ms at ${ticking.rate} events/s, in the median of ${rounds} rounds`,
  async measure() {
    const latencyRounds: LatencyRound[] = [];
    for (let round = 0; round < rounds; round += 1) {
      latencyRounds.push({
        pipe: await measurePipeAges(),
        database: await measureDatabaseAges(),
        ours: await measureDurableAges(),
      });
    }
    const complete = latencyRounds.every(({ ours }) => ours.length === ticking.count);
    const figure = (name: keyof typeof bounds, share: number): Figure => {
      const medianOf = (which: keyof LatencyRound): number =>
        median(latencyRounds.map((round) => quantile(round[which], share)));
      const [pipe, database, ours] = [medianOf("pipe"), medianOf("database"), medianOf("ours")];
      const range = latencyRounds.map((round) => quantile(round.ours, share)).toSorted((a, b) => a - b);
      return {
        name: `event latency, ${name}`,
        measured: `${ours.toFixed(2)} ms (rounds ${range.map((one) => one.toFixed(1)).join(", ")})`,
        floor: `${pipe.toFixed(2)} ms a pipe, ${database.toFixed(2)} ms a pipe and a commit`,
        ratio: `${(ours / database).toFixed(1)} ×`,
        bound: `≤ ${bounds[name]} ms`,
        holds: ours <= bounds[name] && complete,
      };
    };
    return [figure("p50", 0.5), figure("p99", 0.99)];
  },
};

export const eventLatency = claimFromBenchmark(eventLatencyBench);

async function measurePipeAges(): Promise<number[]> {
  await using reader = new ChildProgram(new URL("event-latency/bare-reader.ts", import.meta.url), ticking);
  return await reader.readJson<number[]>();
}

async function measureDatabaseAges(): Promise<number[]> {
  await using testHome = new TestHome();
  const options = { ...ticking, file: join(testHome.folder, "bare.db") };
  await using writer = new ChildProgram(new URL("event-latency/bare-writer.ts", import.meta.url), options);
  await writer.readLine();
  await using watcher = new ChildProgram(new URL("event-latency/bare-watcher.ts", import.meta.url), options);
  await watcher.readLine();
  writer.writeLine("go");
  return await watcher.readJson<number[]>();
}

async function measureDurableAges(): Promise<number[]> {
  await using testHome = new TestHome();
  const { environment: env, home } = testHome;
  const options: LatencyOptions = { ...ticking, home: home.folder, workspace: testHome.workspace() };
  await using driver = new ChildProgram(new URL("event-latency/driver.ts", import.meta.url), options, { env });
  const followerOptions: JournalFollowerOptions = { home: home.folder, session: await driver.readLine() };
  await using follower = new ChildProgram(
    new URL("event-latency/journal-follower.ts", import.meta.url),
    followerOptions,
    {
      env,
    },
  );
  await follower.readLine();
  driver.writeLine("go");
  return await follower.readJson<number[]>();
}
