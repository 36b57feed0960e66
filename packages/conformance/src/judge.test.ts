import { adapters } from "@fairlead/adapters";
import type { Adapter, AgentEvent, ClauseId, Dialect, ToolAction, Transition } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import { findUnexpectedVerdicts } from "./known-failures.ts";
import type { OpenTestBench } from "./test-bench.ts";
import type { Verdict } from "./verdict.ts";

const scriptedAdapter = adapters.find((adapter) => adapter.manifest.id === "scripted") as Adapter;
const openBench = testBenches["scripted"] as OpenTestBench;

type Defect = (transition: Transition<unknown>) => Transition<unknown>;

/** Returns the scripted adapter with a defect in every transition of its dialect. */
function withDefect(defect: Defect): Adapter {
  const wrapDialect = (dialect: Dialect<unknown>): Dialect<unknown> => ({
    initialState: dialect.initialState,
    observe: (state, observation) => defect(dialect.observe(state, observation)),
    handle: (state, command) => defect(dialect.handle(state, command)),
  });
  return {
    ...scriptedAdapter,
    open(opening) {
      const conversation = scriptedAdapter.open(opening);
      return { ...conversation, dialect: wrapDialect(conversation.dialect) };
    },
  };
}

const replaceEvents =
  (change: (event: AgentEvent) => AgentEvent[]): Defect =>
  (transition) => ({ ...transition, events: (transition.events ?? []).flatMap(change) });

const dropEvents = (type: AgentEvent["type"]): Defect => replaceEvents((event) => (event.type === type ? [] : [event]));

const changeAction = (change: Partial<ToolAction>): Defect =>
  replaceEvents((event) => [
    "action" in event && event.action !== undefined ? { ...event, action: { ...event.action, ...change } } : event,
  ]);

const changeApproval = (change: Partial<ToolAction>): Defect =>
  replaceEvents((event) => [
    event.type === "decision.requested" && event.action !== undefined
      ? { ...event, action: { ...event.action, ...change } }
      : event,
  ]);

async function findBrokenClauses(adapter: Adapter, only: string): Promise<ClauseId[]> {
  const verdicts = await judge(adapter, openBench, { only });
  return verdicts.filter(({ status }) => status === "broken").map(({ clause }) => clause);
}

/** Proves that the judge can fail an adapter: each planted defect must break the clause beside it. */
describe("the judge detects", { timeout: 120_000 }, () => {
  test.each<[string, string, ClauseId, Defect]>([
    [
      "a changed text",
      "plain turn",
      "text:whole",
      replaceEvents((event) => (event.type === "text.ended" ? [{ ...event, text: "Other." }] : [event])),
    ],
    [
      "a long text without its second part",
      "text in parts",
      "text:whole",
      replaceEvents((event) =>
        event.type === "text.ended" ? [{ ...event, text: event.text.slice(0, 1_048_576) }] : [event],
      ),
    ],
    [
      "a false outcome",
      "plain turn",
      "turn:outcome",
      replaceEvents((event) => (event.type === "turn.ended" ? [{ ...event, outcome: "failed" }] : [event])),
    ],
    [
      "a queued message that becomes another turn",
      "queued messages at an interrupt",
      "turn:kept",
      replaceEvents((event) => (event.type === "turn.started" ? [{ ...event, input: "Other." }] : [event])),
    ],
    [
      "a missing delta",
      "streamed text",
      "text:deltas",
      (transition) => ({ ...transition, deltas: (transition.deltas ?? []).slice(1) }),
    ],
    ["missing reasoning", "reasoning", "reasoning:whole", dropEvents("reasoning.ended")],
    ["a command that is not the one that runs", "command described", "action:run", changeAction({ command: "echo" })],
    ["a command that is not known", "command described", "action:run", changeAction({ incomplete: true })],
    ["an approval of another command", "command described", "action:run", changeApproval({ command: "echo" })],
    ["an edit without its path", "file written", "action:edit", changeAction({ paths: [] })],
    ["an edit of another kind", "file written", "action:edit", changeAction({ kind: "read" })],
    ["a question that is a command", "question with", "action:other", changeAction({ kind: "run" })],
    ["a tool call without a start", "file written", "tool:order", dropEvents("tool.started")],
    [
      "a tool call that ends twice",
      "file written",
      "dialect:lawful",
      replaceEvents((event) => (event.type === "tool.ended" ? [event, event] : [event])),
    ],
    ["an unreported file change", "file reported", "file:changed", dropEvents("file.changed")],
    [
      "a tool failure reported as success",
      "failing tool",
      "tool:failure",
      replaceEvents((event) => (event.type === "tool.ended" ? [{ ...event, ok: true }] : [event])),
    ],
    [
      "a denial that does not reach the agent",
      "approval denied",
      "decision:deny",
      (transition) => ({
        ...transition,
        effects: (transition.effects ?? []).map((effect) =>
          effect.type === "write" ? { ...effect, text: effect.text.replace('"allow":false', '"allow":true') } : effect,
        ),
      }),
    ],
    [
      "an edited input that does not reach the agent",
      "edited input",
      "decision:edit",
      (transition) => ({
        ...transition,
        effects: (transition.effects ?? []).map((effect) =>
          effect.type === "write" ? { ...effect, text: effect.text.replace("edited", "asked") } : effect,
        ),
      }),
    ],
    [
      "a dialect that forgets which requests are open",
      "approval allowed",
      "decision:open-id",
      ({ state, ...transition }) => ({ ...transition, state: { ...(state as object), pendingDecisions: {} } }),
    ],
    [
      "an error of the wrong category",
      "HTTP 500",
      "error:category",
      replaceEvents((event) => (event.type === "error.raised" ? [{ ...event, category: "unknown" }] : [event])),
    ],
    ["a missing agent session id", "who is speaking", "session:identified", dropEvents("session.changed")],
  ])("%s", async (_, scenario, clause, defect) => {
    expect(await findBrokenClauses(withDefect(defect), scenario)).toContain(clause);
  });

  test("a dialect that throws on an invalid line", async () => {
    const throwing: Adapter = {
      ...scriptedAdapter,
      open(opening) {
        const conversation = scriptedAdapter.open(opening);
        const observe: Dialect<unknown>["observe"] = (state, observation) => {
          if (observation.kind === "line") JSON.parse(observation.text);
          return conversation.dialect.observe(state, observation);
        };
        return { ...conversation, dialect: { ...conversation.dialect, observe } };
      },
    };
    expect(await findBrokenClauses(throwing, "plain turn")).toContain("dialect:hostile");
  });

  test("a dialect that keeps state outside its state value", async () => {
    let count = 0;
    const impure = withDefect(
      replaceEvents((event) =>
        event.type === "text.ended" ? [{ ...event, text: `${event.text}${(count += 1)}` }] : [event],
      ),
    );
    expect(await findBrokenClauses(impure, "plain turn")).toContain("dialect:pure");
  });

  test("a schema that accepts bad settings", async () => {
    const lax = {
      ...scriptedAdapter,
      manifest: { ...scriptedAdapter.manifest, settings: { safeParse: (data: unknown) => ({ success: true, data }) } },
    };
    expect(await findBrokenClauses(lax as unknown as Adapter, "bad settings")).toContain("settings:refused");
  });
});

const { capabilities: declared } = scriptedAdapter.manifest;

test.each([
  ["declared but not observed", [...declared, "cost"], "cost is declared and was not observed."],
  ["observed but not declared", ["tools", "streaming"], "approvals was observed and is not declared"],
] as const)("reports a capability that is %s", { timeout: 300_000 }, async (_, capabilities, problem) => {
  const adapter: Adapter = { ...scriptedAdapter, manifest: { ...scriptedAdapter.manifest, capabilities } };
  const verdicts = await judge(adapter, openBench);
  const honest = verdicts.find(({ clause }) => clause === "capability:honest");
  expect(honest?.findings[0]?.problem).toContain(problem);
});

test("accepts a known failure, and rejects one that no longer fails", () => {
  const verdict = (status: Verdict["status"]): Verdict => ({
    clause: "text:whole",
    level: "must",
    status,
    findings: [],
  });
  expect(findUnexpectedVerdicts([verdict("broken")])).toHaveLength(1);
  expect(findUnexpectedVerdicts([verdict("unshown")])).toHaveLength(1);
  expect(findUnexpectedVerdicts([verdict("kept")])).toEqual([]);
  expect(findUnexpectedVerdicts([verdict("broken")], { "text:whole": "a known defect" })).toEqual([]);
  expect(findUnexpectedVerdicts([verdict("kept")], { "text:whole": "a known defect" })[0]).toContain(
    "remove it from the list",
  );
});
