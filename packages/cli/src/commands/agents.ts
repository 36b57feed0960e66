import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { table } from "../render/table.ts";
import { oneLine } from "../render/tool-lines.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addAgents(program: Command, run: Run): void {
  program
    .command("agents")
    .summary("list the agents, those that are installed first")
    .description("Lists every agent that is known, those that are installed first. `doctor` tells more of each.")
    .option("--json", "one JSON value an agent")
    .addHelpText("after", "\nExample:\n  fairlead agents")
    .action(({ json = false }: { json?: boolean }) => run((surroundings) => agents(surroundings, json)));
}

async function agents(surroundings: Surroundings, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const known = (await fairlead.agents()).toSorted(
    (one, other) => Number(other.finding.installed) - Number(one.finding.installed),
  );
  if (json) for (const one of known) screen.json(one);
  else {
    const rows = known.map(({ agent, label, verified, finding: { installed, version } }) => [
      agent,
      oneLine(label),
      installed ? `installed (${oneLine(version ?? "no version")})` : "not installed",
      verified ? "" : "never judged here",
    ]);
    for (const line of table([["AGENT", "NAME", "HERE", ""], ...rows])) screen.line(line.trimEnd());
  }
  return exitCodes.done;
}
