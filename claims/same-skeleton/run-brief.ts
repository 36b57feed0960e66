/** Runs one brief on agents, offline, and prints the kinds of their events as JSON: `node run-brief.ts AGENT…`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun } from "@fairlead/conformance";
import { testBenches } from "@fairlead/lab";

export interface BriefRun {
  readonly agent: string;
  readonly version: string | null;
  readonly kinds: readonly string[];
}

for (const agent of process.argv.slice(2)) console.log(JSON.stringify(await runBrief(agent)));

async function runBrief(agent: string): Promise<BriefRun> {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent);
  const openBench = testBenches[agent];
  if (adapter === undefined || openBench === undefined) throw new Error(`There is no stage for ${agent}.`);
  const folder = mkdtempSync(join(tmpdir(), "sk-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  await using bench = await openBench(join(folder, "s"));
  await using scenarioRun = await ScenarioRun.open(adapter, bench, folder);
  const session = await scenarioRun.start();
  await scenarioRun.runSteps(
    { actions: [{ write: { path: "note.txt", content: "x" } }] },
    { actions: [{ run: "mkdir one" }] },
    { actions: [{ run: "cat no-such-file" }] },
    { text: "Done." },
  );
  const findOpenDecision = (): string | undefined => {
    const resolved = new Set(scenarioRun.eventsOfType("decision.resolved").map(({ decision }) => decision));
    return scenarioRun.eventsOfType("decision.requested").find(({ decision }) => !resolved.has(decision))?.decision;
  };
  const isTurnOver = (): boolean => scenarioRun.eventsOfType("turn.ended").length > 0;
  for (;;) {
    await scenarioRun.waitUntil(
      () => isTurnOver() || findOpenDecision() !== undefined,
      "the end of the turn, or a decision",
    );
    const decision = findOpenDecision();
    if (isTurnOver() || decision === undefined) break;
    await session.answer(decision, { type: "allow" }).catch(() => {});
    await scenarioRun.waitUntil(() => findOpenDecision() !== decision || isTurnOver(), "the decision's resolution");
  }
  await scenarioRun.end();
  const started = scenarioRun.eventsOfType("session.started")[0];
  return { agent, version: started?.agentVersion ?? null, kinds: scenarioRun.events.map(({ body }) => body.type) };
}
