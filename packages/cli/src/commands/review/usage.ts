import { formatCosts, formatTokens, toOneLine, type UsageView } from "@fairlead/api";
import { addTokenCounts, zeroTokenCounts } from "@fairlead/contract";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { table } from "../../render/text-layout.ts";
import { printEstimateHint } from "../../render/print-estimate-hint.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addUsage(program: Command, run: CommandRunner): void {
  program
    .command("usage")
    .summary("Show tokens and cost by model.")
    .description(
      "Show the tokens that sessions used, by model, and their cost: as the agent reports it, or estimated with list prices.",
    )
    .argument("[session]", "name, id, or beginning of the id (default: all sessions)")
    .option("--by-room", "sum the sessions of each room of a workspace")
    .option("--json", "print one JSON value per session and model")
    .addHelpText("after", "\nExamples:\n  fairlead usage\n  fairlead usage --by-room\n  fairlead usage 54tq --json")
    .action((sessionRef: string | undefined, options: UsageOptions) =>
      run((context) => usage(context, sessionRef, options)),
    );
}

interface UsageOptions {
  readonly byRoom?: boolean;
  readonly json?: boolean;
}

async function usage(
  context: CliContext,
  sessionRef: string | undefined,
  { byRoom = false, json = false }: UsageOptions,
): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const entries = await fairlead.usage(sessionRef);
  if (json) for (const one of entries) screen.json(one);
  else if (entries.length === 0) screen.line("No usage was reported.");
  else {
    const rows = byRoom
      ? roomRows(entries)
      : [heading, ...entries.map(usageRow), ["total", "", "", ...sumCells(entries)]];
    for (const line of table(rows)) screen.line(line);
    printEstimateHint(screen, entries);
  }
  return cliExitCodes.success;
}

const heading = ["SESSION", "AGENT", "MODEL", "COST", "TOKENS"];

function usageRow({ session, agent, model, cost, estimate, tokens }: UsageView): string[] {
  // A daemon of an older version estimates nothing.
  const money = formatCosts(cost, estimate?.amount ?? null);
  return [session, toOneLine(agent), toOneLine(model), money, formatTokens(tokens)];
}

/** One row for each room of each workspace. Sessions without a room have a row of their own. */
export function roomRows(entries: readonly UsageView[]): string[][] {
  // A daemon of an older version reports neither.
  const groups = Map.groupBy(entries, ({ workspace, room }) => JSON.stringify([workspace ?? "", room ?? null]));
  const rows = [...groups.values()].map((group) => {
    const sessions = new Set(group.map(({ session }) => session)).size;
    const { workspace = "", room = null } = group[0] ?? {};
    return [room ?? "-", toOneLine(workspace), String(sessions), ...sumCells(group)];
  });
  rows.sort(
    ([one = "", first = ""], [other = "", second = ""]) => first.localeCompare(second) || one.localeCompare(other),
  );
  return [["ROOM", "WORKSPACE", "SESSIONS", "COST", "TOKENS"], ...rows, ["total", "", "", ...sumCells(entries)]];
}

/** Sums the cost and the tokens. Marks a total cost with `≥` if the cost of a part is neither reported nor estimated. */
function sumCells(entries: readonly UsageView[]): string[] {
  const tokens = entries.reduce((sum, one) => addTokenCounts(sum, one.tokens), zeroTokenCounts);
  const cost = entries.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  const estimates = entries.flatMap(({ estimate }) => (estimate == null ? [] : [estimate.amount]));
  const estimate = estimates.length === 0 ? null : estimates.reduce((sum, one) => sum + one, 0);
  const isPartial = entries.some((one) => one.cost === null && one.estimate == null);
  const isUnreported = cost === 0 && entries.some((one) => one.cost === null);
  const money = formatCosts(isUnreported ? null : cost, estimate);
  return [`${isPartial && money !== "-" ? "≥ " : ""}${money}`, formatTokens(tokens)];
}
