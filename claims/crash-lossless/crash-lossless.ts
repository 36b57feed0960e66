import { withScript } from "@fairlead/kit";
import { root, runQuietly } from "../../scripts/run.ts";
import { SeededRandom } from "../../measure/seeded-random.ts";
import type { Claim } from "../../measure/claim.ts";
import { isUndamaged } from "./damage.ts";
import type { KillAgentOptions } from "./real-agent.ts";
import { measureKills, type KillReport } from "./measure-kills.ts";
import { TestHome } from "../../measure/test-home.ts";

const lines = 40_000;
const rate = 5000;
const requiredKills = { scripted: 100, "claude-code": 20 };

export const crashLossless: Claim = {
  id: "crash-lossless",
  statement:
    "A runtime that is killed at any instant loses nothing: the next one continues, and the agent does not notice.",
  bound: "0 lost, 0 doubled, 0 reordered, 0 unlawful, 0 agents replaced; both controls detected",
  async prove() {
    const random = SeededRandom.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${random.seed}`);
    const scripted = await measureScriptedAgent(random);
    const real = await measureRealAgent(random.seed);
    return {
      measured: `seed ${random.seed}; at ${rate} lines/s: ${describeReport(scripted)}; real claude-code: ${describeReport(real)}`,
      holds: meetsBound(scripted, requiredKills.scripted) && meetsBound(real, requiredKills["claude-code"]),
    };
  },
};

async function measureScriptedAgent(random: SeededRandom): Promise<KillReport> {
  await using testHome = new TestHome();
  const scenario = {
    testHome,
    start: (workspace: string) => ({ agent: "scripted", workspace, sandbox: { kind: "bwrap" as const } }),
    message: () => withScript("Go.", [{ flood: { lines, rate } }]),
    finalOutput: '"type":"done"',
    maxDelay: 1500,
    random,
  };
  return await measureKills(scenario, requiredKills.scripted);
}

async function measureRealAgent(seed: number): Promise<KillReport> {
  const agent = "claude-code";
  await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options: KillAgentOptions = { agent, seed, kills: requiredKills[agent] };
  const program = `${root}claims/crash-lossless/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(output);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  return JSON.parse(last) as KillReport;
}

function meetsBound(
  { kills, killsWhileDriving, events, damage, replacedAgents, controls }: KillReport,
  minimumKills: number,
): boolean {
  const caught = controls.forgets.doubled > 0 && controls.presumes.lost > 0;
  return (
    kills >= minimumKills &&
    killsWhileDriving >= minimumKills / 3 &&
    events > 0 &&
    caught &&
    replacedAgents === 0 &&
    isUndamaged(damage)
  );
}

function describeReport({
  kills,
  killsWhileDriving,
  sessions,
  events,
  damage,
  replacedAgents,
  controls,
}: KillReport): string {
  const { lost, doubled, reordered, unlawful } = damage;
  return (
    `${kills} kills (${killsWhileDriving} while it drove) in ${sessions} sessions of ${events} events, ${lost} lost, ${doubled} doubled, ${reordered} ` +
    `reordered, ${unlawful} unlawful, ${replacedAgents} agents replaced (a runtime that forgets: ${controls.forgets.doubled} ` +
    `doubled; one that presumes: ${controls.presumes.lost} lost)`
  );
}
