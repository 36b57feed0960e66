import { adapters } from "@fairlead/adapters";
import { labAgents } from "@fairlead/lab";
import { root, runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { buildStubbornCommand } from "./stubborn-command.ts";
import { endings, runRound, type AgentWork } from "./run-round.ts";

const rounds = { shell: 88, real: 12 };
/** The other real programs, once for each way to end a session. */
const otherAgents = adapters
  .map(({ manifest }) => manifest.id)
  .filter((id) => !["claude-code", "scripted", "shell"].includes(id));

/** A command that tries to leave processes behind, run by the shell adapter, which does nothing against it. */
const work: AgentWork = {
  start: (workspace) => ({
    agent: "shell",
    workspace,
    settings: { timeout: 600_000 },
    // The control runs without a namespace, where there can be no sandbox.
    sandbox: { kind: process.env["FAIRLEAD_CONTAINMENT"] === undefined ? "bwrap" : "none" },
  }),
  message: (mark) => buildStubbornCommand(mark),
  processes: 3,
};

export const noOrphans: Claim = {
  id: "no-orphans",
  statement:
    "When a session ends, no process that it started is left, whatever ended it and whatever the process does.",
  bound:
    "0 survivors in 100 of 100 rounds and with every real program; control: without a namespace a process survives",
  async prove() {
    await using testHome = new TestHome();
    const shellSurvivors = await Promise.all(["a", "b", "c", "d"].map((_, lane) => runLane(testHome, lane, 4)));
    const real = await runRealAgent("claude-code", rounds.real);
    const all = [...shellSurvivors.flat(), ...real];
    const cleanRounds = all.filter((survivors) => survivors === 0).length;
    const otherResults: string[] = [];
    let othersClean = true;
    for (const agent of otherAgents) {
      const found = await runRealAgent(agent, endings.length);
      othersClean &&= found.every((survivors) => survivors === 0);
      otherResults.push(`${agent} ${found.filter((survivors) => survivors === 0).length} of ${found.length}`);
    }
    const control = await runWithoutNamespace();
    return {
      measured:
        `0 survivors in ${cleanRounds} of ${all.length} rounds (${rounds.shell} of a command that hides its processes, ${real.length} of the real ` +
        `claude-code with one), ${otherResults.join(", ")}; without a namespace, a killed keeper leaves ${control}`,
      holds: cleanRounds === 100 && all.length === 100 && othersClean && control > 0,
    };
  },
};

async function runLane(testHome: TestHome, lane: number, lanes: number): Promise<number[]> {
  const survivors: number[] = [];
  for (let index = lane; index < rounds.shell; index += lanes) {
    survivors.push(await runRound(testHome, work, endings[index % endings.length] ?? "stop"));
  }
  return survivors;
}

async function runRealAgent(agent: string, count: number): Promise<number[]> {
  if (labAgents.some(({ id }) => id === agent)) await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options = JSON.stringify({ agent, rounds: count });
  const program = `${root}claims/no-orphans/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, options]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "[]") as number[];
}

/** The control: with `descendants`, a process without an environment and without a parent escapes a killed keeper. */
async function runWithoutNamespace(): Promise<number> {
  process.env["FAIRLEAD_CONTAINMENT"] = "descendants";
  try {
    await using testHome = new TestHome({ ...process.env, FAIRLEAD_CONTAINMENT: "descendants" });
    return await runRound(testHome, work, "kill the keeper");
  } finally {
    delete process.env["FAIRLEAD_CONTAINMENT"];
  }
}
