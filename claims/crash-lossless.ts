import { withScript } from "@fairlead/kit";
import { root, runQuietly } from "../scripts/run.ts";
import { Chance } from "./chance.ts";
import type { Claim } from "./claim.ts";
import { isUnharmed } from "./crash-lossless/damage.ts";
import type { RealAgentOptions } from "./crash-lossless/real-agent.ts";
import { toll, type Toll } from "./crash-lossless/toll.ts";
import { Ground } from "./ground.ts";

const lines = 40_000;
const rate = 5000;
const wanted = { scripted: 100, "claude-code": 20 };

export const crashLossless: Claim = {
  id: "crash-lossless",
  says: "A runtime that is killed at any instant loses nothing: the next one goes on, and the agent does not notice.",
  bound: "0 lost, 0 doubled, 0 reordered, 0 unlawful, 0 agents replaced, and both controls caught",
  async prove() {
    const chance = Chance.fromEnvironment();
    console.log(`FAIRLEAD_SEED=${chance.seed}`);
    const scripted = await flooded(chance);
    const real = await worked(chance.seed);
    return {
      measured: `seed ${chance.seed}; at ${rate} lines/s: ${told(scripted)}; real claude-code: ${told(real)}`,
      holds: holds(scripted, wanted.scripted) && holds(real, wanted["claude-code"]),
    };
  },
};

async function flooded(chance: Chance): Promise<Toll> {
  await using ground = new Ground();
  const climate = {
    ground,
    start: (workspace: string) => ({ agent: "scripted", workspace }),
    message: () => withScript("Go.", [{ flood: { lines, rate } }]),
    lastWords: '"type":"done"',
    within: 1500,
    chance,
  };
  return await toll(climate, wanted.scripted);
}

async function worked(seed: number): Promise<Toll> {
  const agent = "claude-code";
  await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options: RealAgentOptions = { agent, seed, kills: wanted[agent] };
  const program = `${root}claims/crash-lossless/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(output);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  return JSON.parse(last) as Toll;
}

function holds({ kills, driving, events, damage, replaced, controls }: Toll, enough: number): boolean {
  const caught = controls.forgets.doubled > 0 && controls.presumes.lost > 0;
  return kills >= enough && driving >= enough / 3 && events > 0 && caught && replaced === 0 && isUnharmed(damage);
}

function told({ kills, driving, sessions, events, damage, replaced, controls }: Toll): string {
  const { lost, doubled, reordered, unlawful } = damage;
  return (
    `${kills} kills (${driving} while it drove) in ${sessions} sessions of ${events} events, ${lost} lost, ${doubled} doubled, ${reordered} ` +
    `reordered, ${unlawful} unlawful, ${replaced} agents replaced (a runtime that forgets: ${controls.forgets.doubled} ` +
    `doubled; one that presumes: ${controls.presumes.lost} lost)`
  );
}
