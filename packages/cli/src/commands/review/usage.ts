import type { UsageView } from "@fairlead/api";
import { addTokenCounts, zeroTokenCounts } from "@fairlead/contract";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { formatMoney, formatTokens } from "../../render/format-amounts.ts";
import { table } from "../../render/text-layout.ts";
import { toOneLine } from "../../render/tool-lines.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addUsage(program: Command, run: CommandRunner): void {
  program
    .command("usage")
    .summary("Show tokens and cost by model.")
    .description("Show the tokens that sessions used, by model, and their cost if the agent reports it.")
    .argument("[session]", "name, id, or beginning of the id (default: all sessions)")
    .option("--json", "print one JSON value per session and model")
    .addHelpText("after", "\nExamples:\n  fairlead usage\n  fairlead usage 54tq --json")
    .action((sessionRef: string | undefined, { json = false }: { json?: boolean }) =>
      run((context) => usage(context, sessionRef, json)),
    );
}

async function usage(context: CliContext, sessionRef: string | undefined, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const entries = await fairlead.usage(sessionRef);
  if (json) for (const one of entries) screen.json(one);
  else if (entries.length === 0) screen.line("No usage was reported.");
  else for (const line of table([heading, ...entries.map(usageRow), totalRow(entries)])) screen.line(line);
  return cliExitCodes.success;
}

const heading = ["SESSION", "AGENT", "MODEL", "COST", "TOKENS"];

function usageRow({ session, agent, model, cost, tokens }: UsageView): string[] {
  return [session, toOneLine(agent), toOneLine(model), cost === null ? "-" : formatMoney(cost), formatTokens(tokens)];
}

/** Sums the usage. Marks a total cost with `≥` if the cost of a part is unknown. */
function totalRow(entries: readonly UsageView[]): string[] {
  const tokens = entries.reduce((sum, one) => addTokenCounts(sum, one.tokens), zeroTokenCounts);
  const cost = entries.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  const isPartial = entries.some((one) => one.cost === null);
  return [
    "total",
    "",
    "",
    `${isPartial && cost > 0 ? "≥ " : ""}${cost === 0 && isPartial ? "-" : formatMoney(cost)}`,
    formatTokens(tokens),
  ];
}
