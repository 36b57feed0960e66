import { join } from "node:path";
import { Child } from "../claims/child.ts";
import { Ground } from "../claims/ground.ts";
import type { LatencyOptions } from "./event-latency/driver.ts";
import type { OnlookerOptions } from "./event-latency/onlooker.ts";
import { claimOf, type Bench, type Figure } from "./figure.ts";
import { median, quantile } from "./quantile.ts";

/** In rounds, with the floors in between: other people's load on the machine comes and goes. */
const rounds = 5;
const ticking = { rate: 1000, count: 5000 };
const bounds = { p50: 2, p99: 15 };

interface Round {
  /** The same agent over a pipe, which promises nothing. */
  readonly pipe: number[];
  /** The same over a pipe, a bare database with one commit a piece, and a notice: the least that could be promised. */
  readonly database: number[];
  readonly ours: number[];
}

export const eventLatencyBench: Bench = {
  id: "event-latency",
  says: "What an agent says is a durable event in another process within milliseconds.",
  bound: `p50 ≤ ${bounds.p50} ms, p99 ≤ ${bounds.p99} ms at ${ticking.rate} events/s, in the median of ${rounds} rounds`,
  async measure() {
    const all: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      all.push({ pipe: await pipeAges(), database: await databaseAges(), ours: await durableAges() });
    }
    const complete = all.every(({ ours }) => ours.length === ticking.count);
    const figure = (name: keyof typeof bounds, share: number): Figure => {
      const of = (which: keyof Round): number => median(all.map((round) => quantile(round[which], share)));
      const [pipe, database, ours] = [of("pipe"), of("database"), of("ours")];
      const range = all.map((round) => quantile(round.ours, share)).toSorted((a, b) => a - b);
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

export const eventLatency = claimOf(eventLatencyBench);

async function pipeAges(): Promise<number[]> {
  await using reader = new Child(new URL("event-latency/bare-reader.ts", import.meta.url), ticking);
  return await reader.told<number[]>();
}

async function databaseAges(): Promise<number[]> {
  await using ground = new Ground();
  const options = { ...ticking, file: join(ground.folder, "bare.db") };
  await using writer = new Child(new URL("event-latency/bare-writer.ts", import.meta.url), options);
  await writer.line();
  await using watcher = new Child(new URL("event-latency/bare-watcher.ts", import.meta.url), options);
  await watcher.line();
  writer.say("go");
  return await watcher.told<number[]>();
}

async function durableAges(): Promise<number[]> {
  await using ground = new Ground();
  const { environment: env, home } = ground;
  const options: LatencyOptions = { ...ticking, home: home.folder, workspace: ground.workspace() };
  await using driver = new Child(new URL("event-latency/driver.ts", import.meta.url), options, { env });
  const watching: OnlookerOptions = { home: home.folder, session: await driver.line() };
  await using onlooker = new Child(new URL("event-latency/onlooker.ts", import.meta.url), watching, { env });
  await onlooker.line();
  driver.say("go");
  return await onlooker.told<number[]>();
}
