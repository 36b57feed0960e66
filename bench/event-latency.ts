import { Child } from "../claims/child.ts";
import { Ground } from "../claims/ground.ts";
import type { LatencyOptions } from "./event-latency/driver.ts";
import type { OnlookerOptions } from "./event-latency/onlooker.ts";
import { claimOf, type Bench, type Figure } from "./figure.ts";
import { quantile } from "./quantile.ts";

const ticking = { rate: 1000, count: 10_000 };
const bounds = { p50: 2, p99: 15 };

export const eventLatencyBench: Bench = {
  id: "event-latency",
  says: "What an agent says is a durable event in another process within milliseconds.",
  bound: `p50 ≤ ${bounds.p50} ms, p99 ≤ ${bounds.p99} ms at ${ticking.rate} events/s`,
  async measure() {
    const bare = await bareAges();
    const ours = await durableAges();
    const figure = (name: keyof typeof bounds, share: number): Figure => {
      const [measured, floor] = [quantile(ours, share), quantile(bare, share)];
      return {
        name: `event latency, ${name}`,
        measured: `${measured.toFixed(2)} ms of ${ours.length} events`,
        floor: `${floor.toFixed(2)} ms`,
        ratio: `${(measured / floor).toFixed(1)} ×`,
        bound: `≤ ${bounds[name]} ms`,
        holds: measured <= bounds[name] && ours.length === ticking.count,
      };
    };
    return [figure("p50", 0.5), figure("p99", 0.99)];
  },
};

export const eventLatency = claimOf(eventLatencyBench);

async function bareAges(): Promise<number[]> {
  await using reader = new Child(new URL("event-latency/bare-reader.ts", import.meta.url), ticking);
  return await reader.told<number[]>();
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
