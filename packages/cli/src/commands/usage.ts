import type { UsageView } from "@fairlead/api";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { addTokens, money, tokenCount } from "../render/amounts.ts";
import { table } from "../render/table.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addUsage(program: Command, run: Run): void {
  program
    .command("usage")
    .summary("tell what was used, of which model")
    .description("Tells what sessions have used, by model, and what it cost where the agent says so.")
    .argument("[session]", "only this one: its name, its id, or the beginning of its id")
    .option("--json", "one JSON value a session and model")
    .addHelpText("after", "\nExamples:\n  fairlead usage\n  fairlead usage 54tq --json")
    .action((named: string | undefined, { json = false }: { json?: boolean }) =>
      run((surroundings) => usage(surroundings, named, json)),
    );
}

async function usage(surroundings: Surroundings, named: string | undefined, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const used = await fairlead.usage(named);
  if (json) for (const one of used) screen.json(one);
  else if (used.length === 0) screen.line("Nothing was reported as used.");
  else for (const line of table([heading, ...used.map(row), total(used)])) screen.line(line);
  return exitCodes.done;
}

const heading = ["SESSION", "AGENT", "MODEL", "COST", "TOKENS"];

function row({ session, agent, model, cost, tokens }: UsageView): string[] {
  return [session, oneLine(agent), oneLine(model), cost === null ? "-" : money(cost), tokenCount(tokens)];
}

/** What is not known is not counted as nothing: a sum of which a part is missing says so. */
function total(used: readonly UsageView[]): string[] {
  const none = { uncached: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
  const tokens = used.reduce((sum, one) => addTokens(sum, one.tokens), none);
  const cost = used.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  const isPart = used.some((one) => one.cost === null);
  return [
    "all",
    "",
    "",
    `${isPart && cost > 0 ? "≥ " : ""}${cost === 0 && isPart ? "-" : money(cost)}`,
    tokenCount(tokens),
  ];
}
