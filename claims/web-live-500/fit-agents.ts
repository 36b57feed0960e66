import { setTimeout as delay } from "node:timers/promises";
import { cpus } from "node:os";
import type { Fairlead } from "@fairlead/api";
import { MachineMeter } from "../daemon/machine.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";

export interface FittingAgents {
  /** The number of agents that work. */
  readonly count: number;
  /** How much of the machine was busy before they began, with all of them, and with those that were left, in percent. */
  readonly busyBefore: number;
  readonly busyWithAll: number;
  readonly busy: number;
}

/** The browser needs the rest: without it, what is measured is how long it waits for a processor. */
const maxBusy = 75;
const minCount = 10;
const maxRounds = 5;

/**
 * Stops working agents until they leave room for a browser. What else the machine does is not theirs: `busyBefore` is how
 * much of it was busy before they began.
 */
export async function fitAgents(
  fairlead: Fairlead,
  working: readonly string[],
  busyBefore: number,
): Promise<FittingAgents> {
  const left = [...working];
  const busyWithAll = await measureBusy();
  let busy = busyWithAll;
  for (let round = 0; round < maxRounds && busy - busyBefore > maxBusy && left.length > minCount; round += 1) {
    const stopped = left.splice(Math.max(minCount, Math.floor(left.length * 0.65)));
    await mapConcurrently(8, stopped, async (session) => await fairlead.stop(session));
    await delay(1000);
    busy = await measureBusy();
  }
  return { count: left.length, busyBefore, busyWithAll, busy };
}

/** Measures how much of the machine is busy, in percent. */
export async function measureBusy(): Promise<number> {
  const meter = new MachineMeter();
  await delay(4000);
  return meter.busyShare * 100;
}

/** Names the number that works, and why it is not the required one. */
export function describeFit({ count, busyBefore, busyWithAll, busy }: FittingAgents, required: number): string {
  const machine = `${cpus().length} cores ${busyBefore.toFixed(0)} % busy before them, ${busyWithAll.toFixed(0)} % with ${required} at work and no page`;
  if (count === required) return `${count} agents fit: ${machine}`;
  return `${required} agents do not fit, ${count} do: ${machine}, ${busy.toFixed(0)} % with ${count}`;
}
