import type { CliContext } from "../../cli-context.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { followRun } from "./follow-run.ts";
import type { ForemanCommandOptions } from "./foreman.ts";
import { readPlanFile } from "./read-plan-file.ts";

/** Starts a run and follows it. */
export async function runPlan(
  context: CliContext,
  file: string,
  { workspace, detach, json = false }: ForemanCommandOptions,
): Promise<number> {
  const { screen, folder } = context;
  const workspaceFolder = resolveFolder(context, workspace);
  const plan = await readPlanFile(folder, file);
  await using fairlead = await openFairlead(context);
  const view = await fairlead.startRun({ plan, workspace: workspaceFolder });
  if (detach) {
    if (json) screen.json(view);
    else screen.line(view.run);
    return cliExitCodes.success;
  }
  return await followRun(context, fairlead, view.run, { json });
}
