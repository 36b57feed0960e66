import { readFileSync } from "node:fs";
import { freemem } from "node:os";
import { keeperNodeFlags } from "@fairlead/keeper";
import { ChildProgram } from "../measure/child-program.ts";
import { TestHome } from "../measure/test-home.ts";
import { claimFromBenchmark, type Benchmark } from "../measure/benchmark.ts";
import type { IdleSessionsOptions } from "./memory/idle-sessions.ts";

const counts = { some: 50, many: 200 };
const bounds = { each: 12, all: 1.5 * 1024 };
/** The memory of one scripted agent. The benchmark does not start without this much for all of them. */
const requiredMemory = counts.many * 100 * 2 ** 20;

interface MemoryReading {
  /** An idle Node process, at the same time. */
  readonly bare: number;
  readonly keepers: number;
  readonly runtime: number;
}

export const memoryPerSessionBench: Benchmark = {
  id: "memory-per-session",
  statement: "An idle session costs little memory beside its agent.",
  bound: `≤ ${bounds.each} MiB each at ${counts.some}, < ${bounds.all} MiB in all at ${counts.many}, without agents`,
  async measure() {
    if (freemem() < requiredMemory) throw new Error("There is not enough memory for so many agents.");
    const [none, some, many] = await measureMemory([0, counts.some, counts.many]);
    const each = (some.keepers + some.runtime - none.runtime) / counts.some;
    const all = many.keepers + many.runtime;
    const { bare } = some;
    const floor = `${bare.toFixed(1)} MiB a bare node`;
    const share = (some.runtime - none.runtime) / counts.some;
    return [
      {
        name: `memory per idle session at ${counts.some}`,
        measured: `${each.toFixed(1)} MiB, of which runtime ${share.toFixed(2)}`,
        floor,
        ratio: `${(each / bare).toFixed(2)} ×`,
        bound: `≤ ${bounds.each} MiB`,
        holds: each <= bounds.each,
      },
      {
        name: `memory of ${counts.many} idle sessions`,
        measured: `${all.toFixed(0)} MiB, of which runtime ${many.runtime.toFixed(0)}`,
        floor,
        ratio: `${(all / counts.many / bare).toFixed(2)} ×`,
        bound: `< ${bounds.all} MiB`,
        holds: all < bounds.all,
      },
    ];
  },
};

export const memoryPerSession = claimFromBenchmark(memoryPerSessionBench);

/** The memory of keepers and runtime at each number of sessions. Disposing the test home ends all sessions. */
async function measureMemory<const Counts extends readonly number[]>(
  sessionCounts: Counts,
): Promise<{ [At in keyof Counts]: MemoryReading }> {
  await using testHome = new TestHome();
  const { environment: env, home } = testHome;
  const options: IdleSessionsOptions = { home: home.folder, workspace: testHome.workspace(), counts: sessionCounts };
  await using host = new ChildProgram(new URL("memory/idle-sessions.ts", import.meta.url), options, { env });
  const nodeFlags = [...keeperNodeFlags, "--expose-gc"];
  await using bare = new ChildProgram(new URL("memory/bare-node.js", import.meta.url), null, { nodeFlags });
  await bare.readLine();
  const results: MemoryReading[] = [];
  for (const _ of sessionCounts) {
    const sessions = await host.readJson<string[]>();
    const keepers = sessions.map((session) => readProportionalMemory(testHome.findKeeper(session)?.pid ?? 0));
    const all = keepers.reduce((sum, one) => sum + one, 0);
    results.push({ bare: readProportionalMemory(bare.pid), keepers: all, runtime: readProportionalMemory(host.pid) });
    host.writeLine("on");
  }
  return results as { [At in keyof Counts]: MemoryReading };
}

/** The proportional set size of a process, in MiB. */
function readProportionalMemory(pid: number): number {
  const share = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
  return Number(share) / 1024;
}
