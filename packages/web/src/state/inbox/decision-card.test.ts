import type { DecisionView } from "@fairlead/api";
import { invisibleCharacters } from "@fairlead/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildCard, type CardOptions, summarizeCard } from "./decision-card.ts";

const request: DecisionView = {
  decision: "d1",
  session: "54tq",
  agent: "scripted",
  kind: "approval",
  title: "run: git push",
  tool: "run",
  input: { command: "git push" },
  action: { kind: "run", command: "git push" },
  since: "2026-11-15T12:00:00.000Z",
  digest: "d".repeat(64),
  replaces: false,
};
const options: CardOptions = { capabilities: [], isFull: false };
const build = (view: Partial<DecisionView>, more: Partial<CardOptions> = {}) =>
  buildCard({ ...request, ...view }, { ...options, ...more });

describe("what would happen", () => {
  const reading: NonNullable<DecisionView["reading"]> = {
    verdict: "ask",
    reason: "`git push` updates a shared ref",
    rule: null,
    commands: ["git push"],
  };

  it("is what the policy parsed, and else what the adapter read", () => {
    expect(build({ reading }).reading).toMatchObject({
      heading: "What would run, as Fairlead reads it",
      lines: ["git push"],
    });
    expect(build({}).reading).toMatchObject({
      heading: "What would run, as the adapter reads it",
      lines: ["git push"],
    });
  });

  it.each<[string, Partial<DecisionView>, string, readonly string[]]>([
    [
      "an edit",
      { action: { kind: "edit", paths: ["a.ts", "b\n.ts"] } },
      "Files that would change",
      ["a.ts", "b\\n.ts"],
    ],
    ["a fetch", { action: { kind: "fetch", hosts: ["example.com"] } }, "Hosts that would be reached", ["example.com"]],
    [
      "a connection",
      { kind: "network", input: { host: "example.com" } },
      "A process of this session would connect to",
      ["example.com"],
    ],
    [
      "an unknown tool",
      { action: { kind: "other" }, tool: "frob" },
      "A call that Fairlead cannot read. Decide by its input",
      ["frob"],
    ],
  ])("of %s", (_, view, heading, lines) => {
    expect(build(view).reading).toMatchObject({ heading, lines });
  });

  it("names commands that the reading leaves out beside the buttons", () => {
    const card = build({ reading: { ...reading, omittedCommands: 1204 } });
    expect(card.notShown).toBe("1,204 more commands not shown");
  });

  it("has the findings of the policy, and none where no rule is about the call", () => {
    const found = { ...reading, alsoFound: ["deploy: `npm publish` publishes"] };
    expect(build({ reading: found, category: "merge" }).findings).toEqual({
      chips: ["moves a shared ref", "publishes or deploys"],
      sentences: [reading.reason, "deploy: `npm publish` publishes"],
    });
    expect(build({ reading: { ...reading, verdict: "none" } }).findings).toEqual({ chips: [], sentences: [] });
  });
});

describe("the agent's words", () => {
  it.each([
    ["are quoted without the name of the tool", { title: "run: Push, so CI can run." }, "Push, so CI can run."],
    ["are left out if they are only the command", { title: "run: git push" }, null],
    ["are left out if they are only the tool", { title: "run" }, null],
    ["have no invisible characters", { title: "run: safe\u202e" }, "safe\\u{202e}"],
  ])("%s", (_, view, words) => expect(build(view).words).toBe(words));
});

describe("the input", () => {
  const content = Array.from({ length: 1244 }, (_, at) => `line ${at}`).join("\n");

  it("is cut, and the amount that is not shown is counted", () => {
    const card = build({ input: { path: "a", content } });
    expect(card.fields.map(({ lines, hiddenCount }) => [lines.length, hiddenCount])).toEqual([
      [1, 0],
      [40, 1204],
    ]);
    expect(card.notShown).toBe("1,204 more lines not shown");
  });

  it("is whole if a person wants all of it", () => {
    const card = build({ input: { content } }, { isFull: true });
    expect(card.fields[0]?.lines).toHaveLength(1244);
    expect(card.notShown).toBeNull();
  });
});

it("no invisible character of an agent reaches the card", () => {
  const text = fc.string({ unit: "binary" }).map((one) => `${one}\u202e\u200b\x1b[2J`);
  const view = fc.record({
    title: text,
    tool: text,
    input: fc.dictionary(text, text),
    action: fc.oneof(
      fc.record({ kind: fc.constant("run" as const), command: text }),
      fc.record({ kind: fc.constantFrom("edit" as const, "read" as const), paths: fc.array(text) }),
      fc.record({ kind: fc.constant("fetch" as const), hosts: fc.array(text) }),
    ),
    reading: fc.option(
      fc.record({
        verdict: fc.constant("ask" as const),
        reason: text,
        rule: fc.constant(null),
        commands: fc.array(text),
        grants: fc.array(fc.record({ command: text, categories: fc.constant([]) })),
      }),
      { nil: undefined },
    ),
  });
  fc.assert(
    fc.property(view, ({ reading, ...one }) => {
      const whole = { ...request, ...one, ...(reading !== undefined && { reading }) } as DecisionView;
      const { reading: call, findings, words, tool, fields, choices } = buildCard(whole, options);
      const texts = JSON.stringify(
        [call, findings, words, tool, fields, choices.grants, summarizeCard(whole)],
        (_, value: unknown) =>
          typeof value === "string" && value.match(invisibleCharacters) !== null ? "INVISIBLE" : value,
      );
      expect(texts).not.toContain("INVISIBLE");
    }),
    { numRuns: 50 },
  );
});

describe("the answers", () => {
  it("are those that the agent and the policy support", () => {
    const grants = [{ command: "git push", categories: [], isExact: true as const }];
    const reading = { verdict: "ask", reason: "r", rule: null, commands: [], grants } as const;
    expect(build({}).choices).toEqual({ canEdit: false, canExplain: false, grants: [], options: [] });
    expect(
      build(
        { reading: { ...reading, commands: [...reading.commands] } },
        { capabilities: ["edited-approvals", "told-denials"] },
      ).choices,
    ).toEqual({ canEdit: true, canExplain: true, grants: ["git push"], options: [] });
    expect(build({ kind: "question" }, { capabilities: ["edited-approvals"] }).choices.canEdit).toBe(false);
  });
});

describe("the summary", () => {
  it.each<[string, Partial<DecisionView>, string]>([
    ["a command", {}, "git push"],
    ["several commands", { action: { kind: "run", command: "a\nb\nc" } }, "a and 2 more"],
    ["a question", { kind: "question", questions: [{ text: "Which?", options: [], multiSelect: false }] }, "Which?"],
  ])("of %s is one line", (_, view, text) => expect(summarizeCard({ ...request, ...view })).toBe(text));
});
