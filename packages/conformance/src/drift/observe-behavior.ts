import type { Adapter } from "@fairlead/contract";
import { judge } from "../judge.ts";
import type { OpenTestBench } from "../test-bench.ts";
import type { AgentBehavior, ScenarioBehavior } from "./agent-behavior.ts";

/** Runs a program through every scenario and returns its behavior, to compare it with another version. */
export async function observeBehavior(
  adapter: Adapter,
  openBench: OpenTestBench,
  only?: string,
): Promise<AgentBehavior> {
  const scenarios: ScenarioBehavior[] = [];
  const verdicts = await judge(adapter, openBench, {
    ...(only !== undefined && { only }),
    onScenario(name, _findings, run) {
      if (run !== undefined) scenarios.push({ name, records: run.records, events: run.events });
    },
  });
  const started = scenarios.flatMap(({ events }) => events).find(({ body }) => body.type === "session.started")?.body;
  const { agentVersion = null, flags = [] } = started?.type === "session.started" ? started : {};
  return { version: agentVersion ?? "unknown", flags, scenarios, verdicts };
}
