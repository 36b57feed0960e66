import { setTimeout as delay } from "node:timers/promises";
import { cpus } from "node:os";
import type { Fairlead } from "@fairlead/api";
import { MachineMeter } from "../daemon/machine.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";

export interface FittingAgents {
  /** The number of agents that work. */
  readonly count: number;
  /** How much of the machine was busy with all of them, and with those that were left, in percent. */
  readonly busyWithAll: number;
  readonly busy: number;
}

/** The browser needs the rest: without it, what is measured is how long it waits for a processor. */
const maxBusy = 75;
const minCount = 10;
const maxRounds = 5;

/** Stops working agents until the machine has room for a browser, also if others use it. */
export async function fitAgents(fairlead: Fairlead, working: readonly string[]): Promise<FittingAgents> {
  const left = [...working];
  const busyWithAll = await measureBusy();
  let busy = busyWithAll;
  for (let round = 0; round < maxRounds && busy > maxBusy && left.length > minCount; round += 1) {
    const stopped = left.splice(Math.max(minCount, Math.floor(left.length * 0.65)));
    await mapConcurrently(8, stopped, async (session) => await fairlead.stop(session));
    await delay(1000);
    busy = await measureBusy();
  }
  return { count: left.length, busyWithAll, busy };
}

async function measureBusy(): Promise<number> {
  const meter = new MachineMeter();
  await delay(4000);
  return meter.busyShare * 100;
}

/** Names the number that works, and why it is not the required one. */
export function describeFit({ count, busyWithAll, busy }: FittingAgents, required: number): string {
  const machine = `${cpus().length} cores ${busyWithAll.toFixed(0)} % busy with ${required} agents at work, without a page`;
  if (count === required) return `${count} agents fit: ${machine}`;
  return `${required} agents do not fit, ${count} do: ${machine}, ${busy.toFixed(0)} % with ${count}`;
}
