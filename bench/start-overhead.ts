import { adapters } from "@fairlead/adapters";
import { Runtime } from "@fairlead/runtime";
import { Ground } from "../claims/ground.ts";
import { root, runQuietly } from "../scripts/run.ts";
import { claimOf, type Bench } from "./figure.ts";
import { median } from "./quantile.ts";
import { race, type Times } from "./start-overhead/race.ts";
import type { RealStartOptions } from "./start-overhead/real-agent.ts";

const rounds = 10;
const bounds = { scripted: 40, real: 1.1 };

export const startOverheadBench: Bench = {
  id: "start-overhead",
  says: "A session is there hardly later than its agent would be by itself.",
  bound: `scripted: bare + ${bounds.scripted} ms; real claude-code: ${bounds.real} × bare`,
  async measure() {
    const scripted = medians(await scriptedTimes());
    const real = medians(await realTimes("claude-code"));
    const common = ({ bare, ours }: Medians) => ({
      measured: `${ours.toFixed(0)} ms, ${(ours - bare).toFixed(0)} more`,
      floor: `${bare.toFixed(0)} ms`,
      ratio: `${(ours / bare).toFixed(2)} ×`,
    });
    return [
      {
        name: "start to first event, scripted",
        ...common(scripted),
        bound: `bare + ${bounds.scripted} ms`,
        holds: scripted.ours <= scripted.bare + bounds.scripted,
      },
      {
        name: "start to first event, real claude-code",
        ...common(real),
        bound: `${bounds.real} × bare`,
        holds: real.ours <= real.bare * bounds.real,
      },
    ];
  },
};

export const startOverhead = claimOf(startOverheadBench);

interface Medians {
  readonly bare: number;
  readonly ours: number;
}

function medians({ bare, ours }: Times): Medians {
  return { bare: median(bare), ours: median(ours) };
}

async function scriptedTimes(): Promise<Times> {
  await using ground = new Ground();
  const { environment, home } = ground;
  const adapter = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (adapter === undefined) throw new Error("There is no scripted agent.");
  await using runtime = await Runtime.open({ home, adapters, environment, spares: true });
  const start = { agent: "scripted", workspace: ground.workspace() };
  return await race({ runtime, adapter, start, environment, message: null, rounds });
}

async function realTimes(agent: string): Promise<Times> {
  await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options: RealStartOptions = { agent, rounds };
  const program = `${root}bench/start-overhead/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Times;
}
