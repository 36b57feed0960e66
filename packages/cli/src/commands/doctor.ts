import type { Adapter } from "@fairlead/contract";
import { probeHost, type Runtime } from "@fairlead/runtime";
import type { Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { groundLines, patientLines, type Ground, type Patient } from "../render/doctor-lines.ts";
import type { Screen } from "../screen.ts";
import { isUnverified, openRuntime, type Surroundings } from "../surroundings.ts";
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
  await using runtime = await openRuntime(surroundings);
  const adapters = agent === undefined ? runtime.registry.all : [runtime.registry.find(agent)];
  const ground = await survey(surroundings, runtime);
  const agents = await Promise.all(adapters.map((adapter) => examine(runtime, adapter)));
  if (json) screen.json({ ...ground, agents });
  else show(screen, ground, agents, agent !== undefined);
  const usable = agents.every(({ finding }) => finding.installed);
  return agent === undefined || usable ? exitCodes.done : exitCodes.failed;
}

function show(screen: Screen, ground: Ground, agents: readonly Patient[], isOne: boolean): void {
  for (const line of groundLines(ground, screen.paint)) screen.line(line);
  // Of what nobody here has tried, only what is installed is worth more than its name.
  const rumours = isOne ? [] : agents.filter(({ id, finding }) => !finding.installed && isUnverified(id));
  for (const one of agents.filter((one) => !rumours.includes(one))) {
    screen.line();
    for (const line of patientLines(one, screen.paint)) screen.line(line);
  }
  if (rumours.length === 0) return;
  screen.line();
  screen.aside(`Not installed, and never judged here: ${rumours.map(({ id }) => id).join(", ")}.`);
}

async function survey({ home, environment }: Surroundings, runtime: Runtime): Promise<Ground> {
  let sessions = 0;
  for await (const _ of runtime.list()) sessions += 1;
  const bash = await probeHost(environment, []).find("bash");
  return { node: process.version, home: home.folder, bash, sessions };
}

async function examine(runtime: Runtime, { manifest }: Adapter): Promise<Patient> {
  const { id, label, vendor, modes, capabilities } = manifest;
  return { id, label, vendor, modes, capabilities, finding: await runtime.probe(id) };
}
