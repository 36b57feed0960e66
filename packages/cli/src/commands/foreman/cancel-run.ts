import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { ForemanCommandOptions } from "./foreman.ts";

/** Cancels a run. */
export async function cancelRun(context: CliContext, ref: string, { json }: ForemanCommandOptions): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const { run, outcome: before } = await fairlead.run(ref);
  const view = await fairlead.cancelRun({ run });
  if (json) screen.json(view);
  else if (before !== null) screen.message(`${run} had already ended: ${before}.`);
  else if (view.outcome !== null) screen.message(`${run} ended: ${view.outcome}.`);
  else screen.message(`${run} is being canceled. See how it ends with: fairlead foreman show ${run} -f`);
  return cliExitCodes.success;
}
