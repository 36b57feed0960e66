import { adapters } from "@fairlead/adapters";
import { Runtime } from "@fairlead/runtime";
import { TestHome } from "../measure/test-home.ts";
import { root, runQuietly } from "../scripts/run.ts";
import { claimFromBenchmark, type Benchmark } from "../measure/benchmark.ts";
import { median } from "../measure/quantile.ts";
import { compareStarts, type StartTimes } from "./start-overhead/compare-starts.ts";
import type { RealStartOptions } from "./start-overhead/real-agent.ts";

/** Starts on a shared machine differ by a third, so that a median of few says little. */
const rounds = 40;
const bounds = { scripted: 40, real: 1.1 };

export const startOverheadBench: Benchmark = {
  id: "start-overhead",
  statement: "Starting a session takes little longer than starting its agent.",
  bound: `scripted: bare + ${bounds.scripted} ms; real claude-code: ${bounds.real} × bare`,
  async measure() {
    const scripted = takeMedians(await measureScriptedStarts());
    const real = takeMedians(await measureRealStarts("claude-code"));
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

export const startOverhead = claimFromBenchmark(startOverheadBench);

interface Medians {
  readonly bare: number;
  readonly ours: number;
}

function takeMedians({ bare, ours }: StartTimes): Medians {
  return { bare: median(bare), ours: median(ours) };
}

async function measureScriptedStarts(): Promise<StartTimes> {
  await using testHome = new TestHome();
  const { environment, home } = testHome;
  const adapter = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (adapter === undefined) throw new Error("There is no scripted agent.");
  await using runtime = await Runtime.open({ home, adapters, environment, keepSpareKeeper: true });
  const start = { agent: "scripted", workspace: testHome.workspace(), sandbox: { kind: "bwrap" as const } };
  return await compareStarts({ runtime, adapter, start, environment, message: null, rounds });
}

async function measureRealStarts(agent: string): Promise<StartTimes> {
  await runQuietly("node", ["scripts/install-agents.ts", agent]);
  const options: RealStartOptions = { agent, rounds };
  const program = `${root}bench/start-overhead/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(output);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as StartTimes;
}
