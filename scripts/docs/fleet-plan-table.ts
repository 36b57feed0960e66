import { defaultCosts } from "../../packages/cli/src/commands/fleet/plan/default-costs.ts";
import { describeCosts, formatBytes, formatCount } from "../../packages/cli/src/commands/fleet/plan/format-plan.ts";
import { planFleet } from "../../packages/cli/src/commands/fleet/plan/plan-fleet.ts";
import { renderTable } from "./markdown-table.ts";
import { wrapParagraph } from "./wrap-paragraph.ts";

const sessions = 100_000;
const machines = { cores: 8, streams: 16, sessionsPerHost: 100 };
/** The events per second of all sessions, and the milliseconds of events in one frame. */
const loads = [
  { rate: 1_000_000, pace: 0 },
  { rate: 1_000_000, pace: 250 },
  { rate: 1_000_000, pace: 1_000 },
  { rate: 100_000, pace: 250 },
];
const head = [
  "`--rate`",
  "`--pace`",
  "frames/s",
  "rows/s",
  "cells of 3 servers",
  "disk a day on each server",
  "memory on each server",
  "hosts",
];

/** Renders what `fairlead fleet plan` says about 100,000 sessions. */
export function renderFleetPlan(): string {
  const rows = loads.map(({ rate, pace }) => {
    const plan = planFleet({ sessions, rate, pace }, machines, defaultCosts);
    return [
      formatCount(rate),
      formatCount(pace),
      formatCount(plan.framesPerSecond),
      formatCount(plan.rowsPerSecond),
      formatCount(plan.cells),
      formatBytes(plan.diskBytesPerDay / plan.cells),
      formatBytes(plan.memoryBytesPerServer),
      formatCount(plan.hosts),
    ];
  });
  return [...wrapParagraph(describeCosts(defaultCosts)), "", renderTable(head, rows)].join("\n");
}
