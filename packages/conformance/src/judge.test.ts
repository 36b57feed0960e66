import { adapters } from "@fairlead/adapters";
import type { Adapter, AgentEvent, ClauseId, Dialect, Step } from "@fairlead/contract";
import { stages } from "@fairlead/lab";
import { describe, expect, test } from "vitest";
import { judge } from "./judge.ts";
import { objections } from "./known-failures.ts";
import type { OpenStage } from "./stage.ts";
import type { Verdict } from "./verdict.ts";

const scripted = adapters.find((adapter) => adapter.manifest.id === "scripted") as Adapter;
const openStage = stages["scripted"] as OpenStage;

type Spoil = (step: Step<unknown>) => Step<unknown>;

/** The scripted agent's adapter with a defect in every step that its dialect takes. */
function spoilt(spoil: Spoil): Adapter {
  const around = (dialect: Dialect<unknown>): Dialect<unknown> => ({
    start: dialect.start,
    hear: (state, heard) => spoil(dialect.hear(state, heard)),
    ask: (state, wish) => spoil(dialect.ask(state, wish)),
  });
  return {
    ...scripted,
    open(opening) {
      const conversation = scripted.open(opening);
      return { ...conversation, dialect: around(conversation.dialect) };
    },
  };
}

const changing =
  (change: (event: AgentEvent) => AgentEvent[]): Spoil =>
  (step) => ({ ...step, events: (step.events ?? []).flatMap(change) });

const without = (type: AgentEvent["type"]): Spoil => changing((event) => (event.type === type ? [] : [event]));

async function broken(adapter: Adapter, only: string): Promise<ClauseId[]> {
  const verdicts = await judge(adapter, openStage, { only });
  return verdicts.filter(({ status }) => status === "broken").map(({ clause }) => clause);
}

/** A judge that cannot find anything wrong is worth nothing: each defect here must break the clause beside it. */
describe("the judge sees", { timeout: 120_000 }, () => {
  test.each<[string, string, ClauseId, Spoil]>([
    [
      "a text that is not what was said",
      "plain turn",
      "text:whole",
      changing((event) => (event.type === "text.ended" ? [{ ...event, text: "Other." }] : [event])),
    ],
    [
      "an outcome that is not true",
      "plain turn",
      "turn:outcome",
      changing((event) => (event.type === "turn.ended" ? [{ ...event, outcome: "failed" }] : [event])),
    ],
    [
      "deltas that are left out",
      "streamed text",
      "text:deltas",
      (step) => ({ ...step, deltas: (step.deltas ?? []).slice(1) }),
    ],
    ["thinking that is kept quiet", "reasoning", "reasoning:whole", without("reasoning.ended")],
    ["a call without a start", "file written", "tool:order", without("tool.started")],
    [
      "a call that ends twice",
      "file written",
      "dialect:lawful",
      changing((event) => (event.type === "tool.ended" ? [event, event] : [event])),
    ],
    ["a file that goes unreported", "file reported", "file:changed", without("file.changed")],
    [
      "a failure that is called a success",
      "failing tool",
      "tool:failure",
      changing((event) => (event.type === "tool.ended" ? [{ ...event, ok: true }] : [event])),
    ],
    [
      "an answer that is not passed on",
      "approval denied",
      "decision:deny",
      (step) => ({
        ...step,
        effects: (step.effects ?? []).map((effect) =>
          effect.type === "say" ? { ...effect, text: effect.text.replace('"allow":false', '"allow":true') } : effect,
        ),
      }),
    ],
    [
      "an edit that is dropped",
      "edited input",
      "decision:edit",
      (step) => ({
        ...step,
        effects: (step.effects ?? []).map((effect) =>
          effect.type === "say" ? { ...effect, text: effect.text.replace("edited", "asked") } : effect,
        ),
      }),
    ],
    [
      "an error of the wrong kind",
      "HTTP 500",
      "error:category",
      changing((event) => (event.type === "error.raised" ? [{ ...event, category: "unknown" }] : [event])),
    ],
    ["a conversation without a name", "who is speaking", "session:identified", without("session.changed")],
  ])("%s", async (_, scenario, clause, spoil) => {
    expect(await broken(spoilt(spoil), scenario)).toContain(clause);
  });

  test("a dialect that throws on a bad line", async () => {
    const careless = spoilt((step) => step);
    const throwing: Adapter = {
      ...careless,
      open(opening) {
        const conversation = scripted.open(opening);
        const hear: Dialect<unknown>["hear"] = (state, heard) => {
          if (heard.kind === "line") JSON.parse(heard.text);
          return conversation.dialect.hear(state, heard);
        };
        return { ...conversation, dialect: { ...conversation.dialect, hear } };
      },
    };
    expect(await broken(throwing, "plain turn")).toContain("dialect:hostile");
  });

  test("a dialect that remembers what its state does not hold", async () => {
    let count = 0;
    const forgetful = spoilt(
      changing((event) =>
        event.type === "text.ended" ? [{ ...event, text: `${event.text}${(count += 1)}` }] : [event],
      ),
    );
    expect(await broken(forgetful, "plain turn")).toContain("dialect:pure");
  });

  test("settings that ought to be refused", async () => {
    const lax = {
      ...scripted,
      manifest: { ...scripted.manifest, settings: { safeParse: (data: unknown) => ({ success: true, data }) } },
    };
    expect(await broken(lax as unknown as Adapter, "bad settings")).toContain("settings:refused");
  });
});

test(
  "a capability that is declared and not there is drift, and so is one that is there and not declared",
  { timeout: 300_000 },
  async () => {
    const { capabilities } = scripted.manifest;
    const boastful = {
      ...scripted,
      manifest: { ...scripted.manifest, capabilities: [...capabilities, "cost" as const] },
    };
    const modest = { ...scripted, manifest: { ...scripted.manifest, capabilities: ["tools", "streaming"] as const } };
    const why = async (adapter: Adapter): Promise<string> =>
      (await judge(adapter, openStage)).find(({ clause }) => clause === "capability:honest")?.findings[0]?.broken ?? "";
    expect(await why(boastful)).toBe("cost is declared and was not observed.");
    expect(await why(modest)).toMatch(/approvals was observed and is not declared/);
  },
);

test("a known failure is excused, and one that is not true any more stands in the way", () => {
  const verdict = (status: Verdict["status"]): Verdict => ({
    clause: "text:whole",
    level: "must",
    status,
    findings: [],
  });
  expect(objections([verdict("broken")])).toHaveLength(1);
  expect(objections([verdict("unshown")])).toHaveLength(1);
  expect(objections([verdict("kept")])).toEqual([]);
  expect(objections([verdict("broken")], { "text:whole": "it mumbles" })).toEqual([]);
  expect(objections([verdict("kept")], { "text:whole": "it mumbles" })[0]).toContain("take it off the list");
});
