import type { MeasuredCosts } from "./measured-costs.ts";
import { serversPerCell, usableShare, type FleetLoad, type FleetMachines, type FleetPlan } from "./plan-fleet.ts";

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Formats a number of bytes with two digits: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const amount = bytes / 1000 ** power;
  return `${amount.toFixed(amount < 10 && power > 0 ? 1 : 0)} ${units[power]}`;
}

/** Formats a number with commas and no fraction. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** Returns what a plan says as rows of a name and a value. */
export function formatCapacityPlan(plan: FleetPlan, load: FleetLoad, machines: FleetMachines): string[][] {
  const perServer = plan.diskBytesPerDay / plan.cells;
  return [
    [
      "load",
      `${formatCount(load.sessions)} sessions, ${formatCount(load.rate)} events/s, a frame every ${load.pace} ms`,
    ],
    ["frames", `${formatCount(plan.framesPerSecond)}/s with ${plan.eventsPerFrame.toFixed(1)} events each`],
    ["rows of the index", `${formatCount(plan.rowsPerSecond)}/s`],
    [
      "cost of a frame",
      `${plan.microsecondsPerFrame.toFixed(0)} µs with ${plan.inFlightPerStream.toFixed(1)} in flight per stream`,
    ],
    [
      "cells",
      `${formatCount(plan.cells)} of ${serversPerCell} servers with ${machines.cores} cores, at most ${usableShare * 100} % busy`,
    ],
    ["busy cores", formatCount(plan.busyCores)],
    [
      "disk",
      `${formatBytes(perServer)} a day on each server, ${formatBytes(plan.diskBytesPerDay * serversPerCell)} on all`,
    ],
    ["memory", `${formatBytes(plan.memoryBytesPerServer)} on each server for the sessions`],
    ["hosts", `${formatCount(plan.hosts)} with ${formatCount(machines.sessionsPerHost)} sessions each`],
  ];
}

/** Says from what a plan is computed. */
export function describeCosts({ machine, measuredAt, server }: MeasuredCosts): string {
  return `Computed from what frames cost nats-server ${server} on ${machine}, ${measuredAt}. Measure your servers before you rely on it: other machines differ, and nothing was measured over a real network.`;
}
