import { toOneLine } from "@fairlead/api";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { table, truncateLine } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addAgents(program: Command, run: CommandRunner): void {
  program
    .command("agents")
    .summary("List agents, installed ones first.")
    .description("List every known agent, installed ones first. `doctor` shows details.")
    .option("--json", "print one JSON value per agent")
    .addHelpText("after", "\nExample:\n  fairlead agents")
    .action(({ json = false }: { json?: boolean }) => run((context) => agents(context, json)));
}

async function agents(context: CliContext, json: boolean): Promise<number> {
  const { screen } = context;
  await using fairlead = await openFairlead(context);
  const agentViews = (await fairlead.agents()).toSorted(
    (one, other) => Number(other.probeResult.installed) - Number(one.probeResult.installed),
  );
  if (json) for (const one of agentViews) screen.json(one);
  else {
    const rows = agentViews.map(({ agent, label, verified, probeResult: { installed, version } }) => [
      agent,
      (installed ? `installed (${toOneLine(version ?? "no version")})` : "not installed") +
        (verified ? "" : ", not verified"),
      toOneLine(label),
    ]);
    for (const line of table([["AGENT", "STATUS", "NAME"], ...rows])) screen.line(truncateLine(line, screen.width));
  }
  return cliExitCodes.success;
}
