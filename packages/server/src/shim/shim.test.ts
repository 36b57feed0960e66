import type { Fairlead, SessionView } from "@fairlead/api";
import { type ErrorCode, FairleadError } from "@fairlead/contract";
import { testBrief } from "@fairlead/testing/server/test-shim.ts";
import { expect, test } from "vitest";
import { AgentBrief } from "./agent-brief.ts";
import { Shim } from "./shim.ts";

interface AgentFacts {
  readonly state: SessionView["state"];
  readonly capabilities: SessionView["capabilities"];
  /** The error of `steer`. */
  readonly failure?: ErrorCode;
}

/** Starts a shim over an agent in this state. Returns the calls that give it context. */
async function injectInto({ state, capabilities, failure }: AgentFacts): Promise<string[]> {
  const calls: string[] = [];
  const view = { session: "s", agent: "scripted", state, capabilities } as unknown as SessionView;
  const fairlead: Partial<Fairlead> = {
    start: async () => view,
    session: async () => view,
    events: async function* () {},
    steer: async (_, text) => {
      calls.push(`steer ${text}`);
      if (failure !== undefined) throw new FairleadError(failure, failure);
    },
    inject: async (_, text) => void calls.push(`inject ${text}`),
  };
  const shim = new Shim({ fairlead: fairlead as Fairlead, workspace: "/", mock: true });
  await shim.spawn(AgentBrief.parse(testBrief));
  await shim.inject("context").catch((error: unknown) => calls.push((error as FairleadError).code));
  return calls;
}

test.each<[AgentFacts, string[]]>([
  [{ state: "working", capabilities: ["steer"] }, ["steer context"]],
  [{ state: "waiting", capabilities: ["steer"] }, ["steer context"]],
  [{ state: "working", capabilities: [] }, ["inject context"]],
  [{ state: "idle", capabilities: ["steer"] }, ["inject context"]],
  [{ state: "paused", capabilities: ["steer"] }, ["inject context"]],
  [{ state: "working", capabilities: ["steer"], failure: "no-open-turn" }, ["steer context", "inject context"]],
  [{ state: "working", capabilities: ["steer"], failure: "not-supported" }, ["steer context", "inject context"]],
  [{ state: "working", capabilities: ["steer"], failure: "unavailable" }, ["steer context", "unavailable"]],
])("context for %j is given by %j", async (facts, calls) => {
  expect(await injectInto(facts)).toEqual(calls);
});
