/** Runs two turns of eight model calls each on agents, offline, and prints what was used as JSON: `node run-limited.ts AGENT…`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun } from "@fairlead/conformance";
import type { SpendingLimits } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";

/** What one session used, by the record of the model's service. */
export interface LimitedRun {
  readonly agent: string;
  readonly version: string | null;
  readonly isLimited: boolean;
  /** Model calls that were answered after the one that reached the limit. */
  readonly callsAfterLimit: number;
  /** Turns that were started after the one in which the limit was reached. */
  readonly turnsAfterLimit: number;
  readonly tokens: number;
  readonly outcome: string;
  readonly pauseReason: string;
  /** Messages that wait for their turns. */
  readonly queued: number;
}

/** Reached by the fourth call of the model. */
export const tokenLimit = 550;
const callsPerTurn = 8;

if (import.meta.main) {
  for (const agent of process.argv.slice(2))
    for (const limits of [{ tokens: tokenLimit }, null]) console.log(JSON.stringify(await runLimited(agent, limits)));
}

async function runLimited(agent: string, limits: SpendingLimits | null): Promise<LimitedRun> {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent);
  const openBench = testBenches[agent];
  if (adapter === undefined || openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  const folder = mkdtempSync(join(tmpdir(), "limit-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  await using bench = await openBench(join(folder, "s"));
  await using run = await ScenarioRun.open(adapter, bench, folder);
  // An agent without this mode does not ask.
  const canAsk = adapter.manifest.modes.includes("full-auto");
  await run.start({ ...(canAsk && { mode: "full-auto" }), ...(limits !== null && { limits }) });
  for (const message of [1, 2]) {
    const writes = Array.from({ length: callsPerTurn - 1 }, (__, index) => ({
      actions: [{ write: { path: `${message}-${index}.txt`, content: "x" } }],
    }));
    await run.runSteps(...writes, { text: "Done." });
  }
  // Each wait has a time limit of its own: the slowest agent needs minutes for two turns on a busy machine.
  for (const turn of [1, 2]) {
    const isOver = (): boolean =>
      run.eventsOfType("session.paused").length > 0 || run.eventsOfType("turn.ended").length === turn;
    await run.waitUntil(isOver, `the pause at the limit, or the end of turn ${turn}`);
    if (limits !== null) await run.waitForEvent("session.paused");
  }
  const served = bench.readServedUsage?.() ?? [];
  const counts = served.map(({ tokens: { uncached, cacheWrite, output } }) => uncached + cacheWrite + output);
  let sum = 0;
  const crossing = counts.findIndex((count) => (sum += count) >= tokenLimit);
  const turns = run.eventsOfType("turn.started").length;
  return {
    agent,
    version: run.eventsOfType("session.started")[0]?.agentVersion ?? null,
    isLimited: limits !== null,
    callsAfterLimit: crossing < 0 ? -1 : counts.length - crossing - 1,
    turnsAfterLimit: turns - 1,
    tokens: counts.reduce((total, count) => total + count, 0),
    outcome: run.eventsOfType("turn.ended")[0]?.outcome ?? "none",
    pauseReason: run.eventsOfType("session.paused")[0]?.reason ?? "none",
    queued: run.session.state.waitingMessages.length,
  };
}
