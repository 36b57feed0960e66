import { toOneLine } from "@fairlead/api";
import type { CliContext } from "../../cli-context.ts";
import { resolveFolder } from "../../remote/resolve-folder.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { table } from "../../render/text-layout.ts";
import type { ForemanCommandOptions } from "./foreman.ts";
import { readPlanFile } from "./read-plan-file.ts";

/** Prints what prevents a run of a plan, and which agents would do the work. */
export async function checkPlanFile(
  context: CliContext,
  file: string,
  { workspace, json }: ForemanCommandOptions,
): Promise<number> {
  const { screen, folder } = context;
  const workspaceFolder = resolveFolder(context, workspace);
  const plan = await readPlanFile(folder, file);
  await using fairlead = await openFairlead(context);
  const { problems, roles } = await fairlead.checkRun({ plan, workspace: workspaceFolder });
  if (json) screen.json({ problems, roles });
  else {
    const rows = roles.map(({ role, agent, vendor }) => [role, toOneLine(agent ?? "-"), toOneLine(vendor ?? "")]);
    for (const line of table([["ROLE", "AGENT", "VENDOR"], ...rows])) screen.line(line);
    for (const problem of problems) screen.message(screen.paint("red", toOneLine(problem)));
    if (problems.length === 0) screen.printHint(`Nothing prevents a run. Start it with: fairlead foreman run ${file}`);
  }
  return problems.length === 0 ? cliExitCodes.success : cliExitCodes.usageError;
}
