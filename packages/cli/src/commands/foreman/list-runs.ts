import type { RunView } from "@fairlead/api";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { runTable } from "../../render/runs/run-table.ts";
import type { ForemanCommandOptions } from "./foreman.ts";

const defaultLimit = 20;
const pageSize = 100;

/** Lists runs, latest activity first. */
export async function listRuns(
  context: CliContext,
  { limit, all = false, json }: ForemanCommandOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const max = all ? Infinity : (limit ?? defaultLimit);
  const runs: RunView[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: Math.min(pageSize, max - runs.length), ...(cursor != null && { cursor }) };
    const page = await fairlead.runs(query);
    runs.push(...page.runs);
    cursor = page.next;
  } while (cursor !== null && runs.length < max);
  if (json) for (const one of runs) screen.json(one);
  else if (runs.length === 0) screen.message("No runs. Start one with: fairlead foreman run FILE");
  else {
    const { width, paint } = screen;
    for (const line of runTable(runs, { now: Date.now(), width, paint })) screen.line(line);
    if (cursor !== null) screen.printHint("There are more runs. List all with: fairlead foreman ls --all");
  }
  return cliExitCodes.success;
}
