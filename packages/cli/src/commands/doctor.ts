import type { AgentView, Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { agentLines, groundLines, type Ground } from "../render/doctor-lines.ts";
import type { Screen } from "../screen.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

export function addDoctor(program: Command, run: Run): void {
  program
    .command("doctor")
    .summary("say which agents work here, and what is missing")
    .description("Looks at every agent on this machine: what is installed, what it can do, and what stands in the way.")
    .argument("[agent]", "only this one; exits with 1 if it cannot be used")
    .option("--json", "everything, as one JSON document")
    .addHelpText("after", "\nExamples:\n  fairlead doctor\n  fairlead doctor shell --json")
    .action((agent: string | undefined, { json = false }: { json?: boolean }) =>
      run((surroundings) => doctor(surroundings, agent, json)),
    );
}

async function doctor(surroundings: Surroundings, agent: string | undefined, json: boolean): Promise<number> {
  const { screen } = surroundings;
  await using fairlead = await openFairlead(surroundings);
  const ground = await survey(surroundings, fairlead);
  const known = await fairlead.agents();
  const agents = known.filter((one) => agent === undefined || one.agent === agent);
  if (agents.length === 0) {
    const names = known.map((one) => one.agent).join(", ");
    throw new FairleadError("unknown-agent", `There is no agent called "${agent}". Known here: ${names}.`);
  }
  if (json) screen.json({ ...ground, agents });
  else show(screen, ground, agents, agent !== undefined);
  const usable = agents.every(({ finding }) => finding.installed);
  return agent === undefined || usable ? exitCodes.done : exitCodes.failed;
}

function show(screen: Screen, ground: Ground, agents: readonly AgentView[], isOne: boolean): void {
  for (const line of groundLines(ground, screen.paint)) screen.line(line);
  // Of what nobody here has tried, only what is installed is worth more than its name.
  const rumours = isOne ? [] : agents.filter(({ verified, finding }) => !finding.installed && !verified);
  for (const one of agents.filter((one) => !rumours.includes(one))) {
    screen.line();
    for (const line of agentLines(one, screen.paint)) screen.line(line);
  }
  if (rumours.length === 0) return;
  screen.line();
  screen.aside(`Not installed, and never judged here: ${rumours.map((one) => one.agent).join(", ")}.`);
}

async function survey({ home, environment }: Surroundings, fairlead: Fairlead): Promise<Ground> {
  // Only this command looks for itself, and what it needs for that is large.
  const { probeHost } = await import("@fairlead/runtime");
  const bash = await probeHost(environment, []).find("bash");
  const sessions = (await fairlead.sessions()).length;
  return { node: process.version, home, bash, sessions };
}
