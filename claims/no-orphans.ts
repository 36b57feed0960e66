import { adapters } from "@fairlead/adapters";
import { agents } from "@fairlead/lab";
import { root, runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";
import { Ground } from "./ground.ts";
import { nasty } from "./no-orphans/nasty.ts";
import { endings, round, type Work } from "./no-orphans/round.ts";

const rounds = { shell: 88, real: 12 };
/** The other real programs, once for each way to end. */
const others = adapters
  .map(({ manifest }) => manifest.id)
  .filter((id) => !["claude-code", "scripted", "shell"].includes(id));

/** The worst that a command can do, run by the adapter that does nothing about it. */
const work: Work = {
  start: (workspace) => ({ agent: "shell", workspace, settings: { timeout: 600_000 } }),
  message: (mark) => nasty(mark),
  processes: 3,
};

export const noOrphans: Claim = {
  id: "no-orphans",
  says: "When a session ends, however it ends, no process that it started is left, whatever that process does.",
  bound: "0 survivors in 100 of 100 rounds, and in all of every other real program; the control caught",
  async prove() {
    await using ground = new Ground();
    const left = await Promise.all(["a", "b", "c", "d"].map((_, lane) => some(ground, lane, 4)));
    const real = await realAgent("claude-code", rounds.real);
    const all = [...left.flat(), ...real];
    const clean = all.filter((survivors) => survivors === 0).length;
    const rest: string[] = [];
    let othersClean = true;
    for (const agent of others) {
      const found = await realAgent(agent, endings.length);
      othersClean &&= found.every((survivors) => survivors === 0);
      rest.push(`${agent} ${found.filter((survivors) => survivors === 0).length} of ${found.length}`);
    }
    const control = await withoutNamespace();
    return {
      measured:
        `0 survivors in ${clean} of ${all.length} rounds (${rounds.shell} of a nasty command, ${real.length} of the real ` +
        `claude-code with one), ${rest.join(", ")}; without a namespace, a killed keeper leaves ${control}`,
      holds: clean === 100 && all.length === 100 && othersClean && control > 0,
    };
  },
};

async function some(ground: Ground, lane: number, lanes: number): Promise<number[]> {
  const left: number[] = [];
  for (let at = lane; at < rounds.shell; at += lanes) {
    left.push(await round(ground, work, endings[at % endings.length] ?? "stop"));
  }
  return left;
}

async function realAgent(agent: string, count: number): Promise<number[]> {
  if (agents.some(({ id }) => id === agent)) await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options = JSON.stringify({ agent, rounds: count });
  const program = `${root}claims/no-orphans/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, options]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "[]") as number[];
}

/** The control: with the weaker containment, what has no environment and no parent escapes a killed keeper. */
async function withoutNamespace(): Promise<number> {
  process.env["FAIRLEAD_CONTAINMENT"] = "descendants";
  try {
    await using ground = new Ground({ ...process.env, FAIRLEAD_CONTAINMENT: "descendants" });
    return await round(ground, work, "kill the keeper");
  } finally {
    delete process.env["FAIRLEAD_CONTAINMENT"];
  }
}
