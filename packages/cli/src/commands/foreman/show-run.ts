import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { runProblemLines } from "../../render/runs/run-problems.ts";
import { runTree } from "../../render/runs/run-tree.ts";
import { followRun } from "./follow-run.ts";
import type { ForemanCommandOptions } from "./foreman.ts";
import { readRunEvents } from "./read-run-events.ts";

/** Shows a run once, or until it ends. */
export async function showRun(
  context: CliContext,
  ref: string,
  { follow, json = false }: ForemanCommandOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const view = await fairlead.run(ref);
  if (follow) return await followRun(context, fairlead, view.run, { json });
  const { width, paint } = screen;
  if (json) screen.json(view);
  else {
    const problems = runProblemLines(await readRunEvents(fairlead, view.run));
    for (const line of runTree(view, { now: Date.now(), width, paint, problems })) screen.line(line);
  }
  return cliExitCodes.success;
}
