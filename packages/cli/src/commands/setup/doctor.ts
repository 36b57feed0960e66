import { homedir } from "node:os";
import { type AgentView, type Fairlead, listSessions } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { agentLines, environmentLines, type EnvironmentReport } from "../../render/doctor-lines.ts";
import { remoteLines, type RemoteReport } from "../../render/remote-lines.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import type { Screen } from "../../screen.ts";
import type { CliContext } from "../../cli-context.ts";
import type { CommandRunner } from "../command-runner.ts";

export function addDoctor(program: Command, run: CommandRunner): void {
  program
    .command("doctor")
    .summary("Check which agents work here, and what is missing.")
    .description(
      "Check the environment and every agent on this machine, or on that of FAIRLEAD_URL: whether it is installed, what it supports, and what is wrong.",
    )
    .argument("[agent]", "check only this agent; exit with 1 if it is not installed")
    .option("--json", "print everything as one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead doctor\n  fairlead doctor shell --json")
    .action((agent: string | undefined, { json = false }: { json?: boolean }) =>
      run((context) => doctor(context, agent, json)),
    );
}

async function doctor(context: CliContext, agent: string | undefined, json: boolean): Promise<number> {
  const { screen } = context;
  const url = findRemoteUrl(context);
  await using fairlead = await openFairlead(context);
  const report =
    url === null ? await inspectEnvironment(context, fairlead) : { url, ...(await inspectService(fairlead)) };
  const allAgents = await fairlead.agents();
  const agents = allAgents.filter((one) => agent === undefined || one.agent === agent);
  if (agents.length === 0) {
    const names = allAgents.map((one) => one.agent).join(", ");
    throw new FairleadError("unknown-agent", `There is no agent "${agent}". Agents: ${names}.`);
  }
  if (json) screen.json({ ...report, agents });
  else printReport(screen, report, agents, agent !== undefined);
  const isUsable = agents.every(({ probeResult }) => probeResult.installed);
  return agent === undefined || isUsable ? cliExitCodes.success : cliExitCodes.failed;
}

function printReport(
  screen: Screen,
  report: EnvironmentReport | RemoteReport,
  agents: readonly AgentView[],
  isSingleAgent: boolean,
): void {
  const { paint, columns } = screen;
  const lines = "url" in report ? remoteLines(report, paint, columns) : environmentLines(report, paint, columns);
  for (const line of lines) screen.line(line);
  // Details of an unverified agent are useful only if it is installed.
  const unverified = isSingleAgent
    ? []
    : agents.filter(({ verified, probeResult }) => !probeResult.installed && !verified);
  for (const one of agents.filter((one) => !unverified.includes(one))) {
    screen.line();
    for (const line of agentLines(one, paint, columns)) screen.line(line);
  }
  if (unverified.length === 0) return;
  screen.line();
  const names = unverified.map((one) => one.agent).join(", ");
  screen.printHint(`Not installed and not verified: ${names}.`);
}

async function inspectEnvironment({ home, environment }: CliContext, fairlead: Fairlead): Promise<EnvironmentReport> {
  // Loaded here: only this command probes in its own process, and the runtime is large.
  const runtime = await import("@fairlead/runtime");
  const { createProbeHost, findContainment, findSandboxProblem } = runtime;
  const probeHost = createProbeHost(environment, []);
  const [bash, bubblewrap] = await Promise.all([probeHost.find("bash"), probeHost.find("bwrap")]);
  const containment = findContainment();
  const program = containment.kind === "namespace" ? containment.program : bubblewrap;
  const { sessions, failedSessions, journal, problem } = await inspectService(fairlead);
  return {
    node: process.version,
    home: home.folder,
    bash,
    containment: { kind: containment.kind, bubblewrap: program, platform: process.platform },
    sandboxProblem: await findSandboxProblem(),
    ...inspectConfig(runtime, home.configFile, environment),
    sessions,
    failedSessions,
    journal,
    problem,
  };
}

/** What the service says about itself, on this machine or on another one. */
async function inspectService(fairlead: Fairlead): Promise<Omit<RemoteReport, "url">> {
  const sessions = await Array.fromAsync(listSessions(fairlead, { order: "session", limit: 1000 }));
  const { version, journal, problem } = await fairlead.health();
  const failedSessions = sessions.flatMap((one) =>
    one.problem == null ? [] : [{ session: one.session, problem: one.problem }],
  );
  return { version, sessions: sessions.length, failedSessions, journal, problem };
}

function inspectConfig(
  { findConfigMistakes, readUserConfig }: typeof import("@fairlead/runtime"),
  file: string,
  environment: CliContext["environment"],
): Pick<EnvironmentReport, "configProblem" | "configMistakes"> {
  try {
    const config = readUserConfig(file);
    return { configProblem: null, configMistakes: findConfigMistakes(config, environment["HOME"] ?? homedir()) };
  } catch (error) {
    return { configProblem: (error as Error).message, configMistakes: [] };
  }
}
