import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CliContext } from "../../../cli-context.ts";
import { cliExitCodes } from "../../../exit-codes.ts";
import { table } from "../../../render/text-layout.ts";
import { UsageError } from "../../../usage-error.ts";
import { defaultCosts } from "./default-costs.ts";
import { describeCosts, formatCapacityPlan } from "./format-plan.ts";
import { MeasuredCosts } from "./measured-costs.ts";
import { planFleet } from "./plan-fleet.ts";

export interface PlanOptions {
  readonly sessions?: string;
  readonly rate?: string;
  readonly pace?: string;
  readonly cores?: string;
  readonly streams?: string;
  readonly perHost?: string;
  readonly measured?: string;
}

const example = "fairlead fleet plan --sessions 1000 --rate 10000 --pace 250";

/** Prints what servers and hosts a load needs. It asks no server. */
export function showFleetPlan({ screen, folder }: CliContext, options: PlanOptions, json: boolean): number {
  const load = {
    sessions: parseNumber("--sessions", options.sessions, 1),
    rate: parseNumber("--rate", options.rate, 1),
    pace: parseNumber("--pace", options.pace ?? "0", 0),
  };
  const machines = {
    cores: parseNumber("--cores", options.cores ?? "8", 1),
    streams: parseNumber("--streams", options.streams ?? "16", 1),
    sessionsPerHost: parseNumber("--per-host", options.perHost ?? "100", 1),
  };
  const costs = options.measured === undefined ? defaultCosts : readCosts(resolve(folder, options.measured));
  const plan = planFleet(load, machines, costs);
  if (json) {
    const { machine, measuredAt, server } = costs;
    screen.json({ load, machines, plan, measured: { machine, measuredAt, server } });
    return cliExitCodes.success;
  }
  for (const line of table(formatCapacityPlan(plan, load, machines))) screen.line(line);
  screen.line();
  screen.printHint(describeCosts(costs));
  return cliExitCodes.success;
}

function parseNumber(option: string, text: string | undefined, least: number): number {
  if (text === undefined) throw new UsageError(`The option ${option} is missing.`, example);
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= least && value <= 1e12) return value;
  throw new UsageError(`${option} is not a number from ${least}: ${text}`, example);
}

function readCosts(path: string): MeasuredCosts {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`The file of --measured cannot be read: ${(cause as Error).message}`, example, { cause });
  }
  try {
    return MeasuredCosts.parse(JSON.parse(text));
  } catch (cause) {
    const advice = "Write it with `npm run claims -- slope` in a clone of Fairlead.";
    throw new UsageError(`${path} has no measured costs. ${advice}`, example, { cause });
  }
}
