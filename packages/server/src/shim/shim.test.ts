import type { Fairlead, SessionView } from "@fairlead/api";
import { type ErrorCode, type Event, FairleadError, requestDigest } from "@fairlead/contract";
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

test("an approval applies only to the request that was streamed with its id", async () => {
  const ask = (command: string) =>
    ({ type: "decision.requested", decision: "r1", kind: "approval", title: command, input: { command } }) as const;
  const bodies: Event["body"][] = [ask("ls")];
  const answers: unknown[] = [];
  const view = { session: "s", agent: "scripted", state: "waiting", capabilities: [] } as unknown as SessionView;
  const fairlead: Partial<Fairlead> = {
    start: async () => view,
    session: async () => view,
    async *events(_, { after = 0 } = {}) {
      for (const [index, body] of bodies.entries())
        if (index >= after) yield { id: `s-${index}`, sequence: index + 1, body, session: "s" } as Event;
    },
    answer: async (_, decision, answer) => void answers.push([decision, answer]),
  };
  const shim = new Shim({ fairlead: fairlead as Fairlead, workspace: "/", mock: true });
  await shim.spawn(AgentBrief.parse(testBrief));
  const streamedIds = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { event } of shim.runs.current().events(new AbortController().signal))
      if (event.type === "decision") ids.push(event.decisionId);
    return ids;
  };
  const approve = (decisionId: string): Promise<boolean> =>
    shim.resolve({ decisionId, resolution: { action: "approve" } });
  const [first = ""] = await streamedIds();
  bodies.push({ type: "decision.resolved", decision: "r1", outcome: "canceled", by: { kind: "agent" } }, ask("rm -rf"));
  const refused = { code: "decision-not-open" };
  await expect(approve(first)).rejects.toMatchObject(refused);
  const [, second = ""] = await streamedIds();
  await expect(approve(first)).rejects.toMatchObject(refused); // also if the second one is streamed meanwhile
  expect(answers).toEqual([]);
  await approve(second);
  const digest = requestDigest(ask("rm -rf"));
  expect(answers).toEqual([["r1", { type: "allow", digest }]]); // the runtime refuses it if a third one is open
});
