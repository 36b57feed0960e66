import type { Adapter } from "@fairlead/contract";
import { judge } from "../judge.ts";
import type { OpenStage } from "../stage.ts";
import type { Performance, Scene } from "./performance.ts";

/** Puts a program into every situation and keeps what it did, to be compared with what another version does. */
export async function perform(adapter: Adapter, openStage: OpenStage, only?: string): Promise<Performance> {
  const scenes: Scene[] = [];
  const verdicts = await judge(adapter, openStage, {
    ...(only !== undefined && { only }),
    onScenario(name, _findings, rehearsal) {
      if (rehearsal !== undefined) scenes.push({ name, records: rehearsal.records, events: rehearsal.events });
    },
  });
  const started = scenes.flatMap(({ events }) => events).find(({ body }) => body.type === "session.started")?.body;
  const { agentVersion = null, flags = [] } = started?.type === "session.started" ? started : {};
  return { version: agentVersion ?? "unknown", flags, scenes, verdicts };
}
