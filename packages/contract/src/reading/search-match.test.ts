import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { createEventMatcher, SearchMatch } from "./search-match.ts";
import { visibleTexts } from "./visible-texts.ts";

function toEvent(body: AgentEvent, sequence = 1): Event {
  const common = { session: "s", epoch: 1, turn: "t", agent: "a", model: null, spool: 1, synthetic: false };
  return { id: `${sequence}`, sequence, ...common, occurredAt: new Date(0).toISOString(), body };
}

const toText = (text: string): Event => toEvent({ type: "text.ended", text });

test("finds a text in each kind of event that shows one, in both cases of its letters", () => {
  const by = { kind: "person", label: "Needle" } as const;
  const bodies: AgentEvent[] = [
    { type: "turn.started", turn: "t", input: "a needle", origin: "user" },
    { type: "text.ended", text: "NEEDLE" },
    { type: "reasoning.ended", text: "neeDLE" },
    { type: "tool.requested", call: "c", name: "run", input: { command: ["grep needle"] } },
    { type: "tool.requested", call: "c", name: "x", input: {}, action: { kind: "read", paths: ["src/needle.ts"] } },
    { type: "tool.ended", call: "c", name: "run", ok: true, output: "1: needle" },
    { type: "file.changed", path: "needle.ts", change: "created" },
    { type: "plan.updated", steps: [{ text: "Find a needle.", state: "active" }] },
    { type: "decision.requested", decision: "d", kind: "approval", title: "Run needle" },
    { type: "decision.resolved", decision: "d", outcome: "allowed", by },
    { type: "error.raised", category: "unknown", message: "needle lost" },
    { type: "status.reported", level: "info", message: "needle" },
    { type: "unrecognized", reason: "new", raw: '{"needle":1}' },
  ];
  const match = createEventMatcher("Needle");
  for (const body of bodies) expect(match(toEvent(body)), body.type).toMatchObject({ kind: body.type, length: 6 });
});

test("does not find ids, names of fields and what another event repeats", () => {
  const match = createEventMatcher("needle");
  const progress: AgentEvent = { type: "tool.progressed", call: "needle", output: "needle" };
  const context = "<context>\nneedle\n</context>\n\nGo.";
  const bodies: AgentEvent[] = [
    progress,
    { type: "turn.started", turn: "needle", input: context, origin: "user" },
    { type: "tool.requested", call: "needle", name: "run", input: { needle: 1 } },
    { type: "tool.ended", call: "needle", name: "needle", ok: true, output: "" },
  ];
  for (const body of bodies) expect(match(toEvent(body)), body.type).toBeNull();
});

test("a sign of a pattern means itself", () => {
  for (const text of [".*", "(a|b)", "[x]", "a+?", "^$", "{2}", String.raw`\d`, "a/b", "a-b"]) {
    expect(createEventMatcher(text)(toText(`see ${text} here`))).toMatchObject({ offset: 4, length: text.length });
    expect(createEventMatcher(text)(toText("see aab 2 x here"))).toBeNull();
  }
});

test("the excerpt is one short line around the match", () => {
  const match = createEventMatcher("Needle\nHere")(
    toText(`${"before \n".repeat(100)}NEEDLE\nhere${"\n\tafter".repeat(100)}`),
  );
  expect(match?.excerpt).toMatch(/^[a-z]*( before)+ NEEDLE here( after)+( a[a-z]*)?$/);
  expect(match?.excerpt.length).toBeGreaterThan(150);
});

test("of any text, the excerpt has the match at its place and is at most 200 code units long", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "B", " ", "\n", "𝄞", "é", "\u0000", "İ", "ß"), maxLength: 400 });
  fc.assert(
    fc.property(
      text,
      fc.string({ unit: fc.constantFrom("A", "b", "é", "𝄞"), minLength: 1, maxLength: 4 }),
      (all, one) => {
        const match = createEventMatcher(one)(toText(all));
        const isThere = all.toLowerCase().includes(one.toLowerCase());
        expect(match !== null).toBe(isThere);
        if (match === null) return;
        const { excerpt, offset, length } = SearchMatch.parse(match);
        expect(excerpt.slice(offset, offset + length).toLowerCase()).toBe(one.toLowerCase());
        expect(excerpt.length).toBeLessThanOrEqual(200);
        expect(excerpt.isWellFormed()).toBe(true);
        expect(/\p{Cc}/u.test(excerpt)).toBe(false);
      },
    ),
    { numRuns: 1000 },
  );
});

test("a match of 200 code units is the whole excerpt", () => {
  const long = "x".repeat(200);
  expect(createEventMatcher(long)(toText(`a ${long} b`))).toMatchObject({ excerpt: long, offset: 0, length: 200 });
});

test("each recorded event is searched, and its texts are in it", () => {
  const folder = new URL("../../../adapters/src/", import.meta.url);
  const types = new Set<string>();
  for (const file of globSync("*/fixtures/*.events.jsonl", { cwd: folder }))
    for (const line of readFileSync(new URL(file, folder), "utf8").split("\n").filter(Boolean)) {
      const { body } = JSON.parse(line) as Partial<Event>;
      if (body === undefined) continue;
      const texts = [...visibleTexts(body)];
      for (const text of texts) expect(JSON.stringify(body)).toContain(JSON.stringify(text).slice(1, -1));
      if (texts.length > 0) types.add(body.type);
    }
  expect(types.size).toBeGreaterThan(12);
});

test("an input that is very deep does not end the search", () => {
  let deep: unknown = "needle";
  for (let depth = 0; depth < 5000; depth += 1) deep = [deep];
  expect(
    createEventMatcher("needle")(toEvent({ type: "tool.requested", call: "c", name: "x", input: deep })),
  ).toBeNull();
});
