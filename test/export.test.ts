import { exportJsonLines, exportMarkdown, type AgentEvent, type Event } from "@fairlead/contract";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { describe, expect, it, test } from "vitest";
import { findMissing } from "../claims/export-whole/expected-content.ts";
import { findForgery } from "../claims/export-whole/find-forgery.ts";
import { createLongSession, createRareSession, createSessionEvents } from "../claims/export-whole/generated-session.ts";
import { makeHostile } from "../claims/export-whole/hostile-events.ts";
import { noQuoting, parseMarkdown } from "../claims/export-whole/markdown-structure.ts";
import { readRecordedSessions } from "../claims/export-whole/recorded-sessions.ts";
import { render } from "../claims/export-whole/render.ts";
import { SeededRandom } from "../measure/seeded-random.ts";
import { codeQuoting, type Quoting } from "../packages/contract/src/export/quoting.ts";

const rareSession = createRareSession();
// One of ten: the claim `export-whole` takes all.
const sessions = [
  { name: "generated", events: rareSession },
  ...readRecordedSessions().filter((_, at) => at % 10 === 0),
];

describe.each(sessions)("$name", ({ events }) => {
  it("is whole and in order, as Markdown and as JSON lines", async () => {
    expect(findMissing(events, parseMarkdown(await render(events)))).toBeNull();
    const lines = await Array.fromAsync(exportJsonLines(toAsync(events)));
    expect(lines.map((line) => JSON.parse(line) as Event)).toEqual(events);
  });

  it("has no section, link, HTML or control character that a text made", async () => {
    const random = new SeededRandom(events.length);
    for (let round = 0; round < 5; round += 1) {
      const hostile = makeHostile(events, random);
      expect(await findForgery(hostile)).toBeNull();
      expect(findMissing(hostile, parseMarkdown(await render(hostile)))).toBeNull();
    }
  });

  it("would have forged sections without the quoting", async () => {
    expect(await findForgery(makeHostile(events, new SeededRandom(1)), noQuoting)).toMatch(/^headings: /);
  });
});

/** Each leaves out one part of the quoting. */
const weakQuotings: Readonly<Record<string, Quoting>> = {
  "a fence of three backticks": { ...codeQuoting, block: (text) => `\`\`\`\n${text}\n\`\`\`` },
  "a quotation": { ...codeQuoting, block: (text) => `> ${text.replaceAll("\n", "\n> ")}` },
  "a code span with one backtick": { ...codeQuoting, span: (text) => `\`${text.replaceAll(/\s+/g, " ")}\`` },
  "a code span with line breaks": { ...codeQuoting, span: (text) => codeQuoting.span("").replace(" ", text) },
  "control characters": { ...codeQuoting, block: (text) => `    ${text.replaceAll("\n", "\n    ")}` },
};

test.each(Object.entries(weakQuotings))("the check finds what gets through %s", async (_, quoting) => {
  expect(await findForgery(makeHostile(rareSession, new SeededRandom(1)), quoting)).not.toBeNull();
});

test("the check finds a message, a call and a decision that is missing, or in another place", async () => {
  for (const type of ["turn.started", "text.ended", "tool.requested", "tool.ended", "decision.resolved"] as const) {
    const text = await render(rareSession.filter(({ body }) => body.type !== type));
    expect(findMissing(rareSession, parseMarkdown(text))?.body.type).toBe(type);
  }
  const moved = rareSession.toSorted(
    (one, other) => Number(other.body.type === "tool.ended") - Number(one.body.type === "tool.ended"),
  );
  expect(findMissing(moved, parseMarkdown(await render(rareSession)))).not.toBeNull();
});

describe("a session of 5,000 calls", () => {
  it("is read event by event, while it is written", async () => {
    let pulled = 0;
    const readEvents = async function* (): AsyncGenerator<Event> {
      pulled = 0;
      for (const event of createLongSession(5000, 100)) {
        pulled += 1;
        yield event;
      }
    };
    let [written, maxAhead] = [0, 0];
    for await (const chunk of exportMarkdown(readEvents)) {
      if (chunk.startsWith("# ")) continue;
      const sequence = Number(/^(\d+) · /m.exec(chunk)?.[1]);
      maxAhead = Math.max(maxAhead, pulled - sequence);
      written += 1;
    }
    expect(written).toBeGreaterThan(15_000);
    expect(maxAhead).toBe(0);
  });

  it("is numbered from its first event, when only its end is written", async () => {
    const chunks = await Array.fromAsync(
      exportMarkdown(() => toAsync(createLongSession(5000, 100)), { after: 15_000 }),
    );
    expect(parseMarkdown(chunks.join("")).headings.slice(0, 4)).toEqual([
      "h1 Session x",
      "h2 Turn 1",
      "h3 Result of call 5000: succeeded",
      "h3 Text of the agent",
    ]);
    const start = await Array.fromAsync(exportMarkdown(() => toAsync(createLongSession(5000, 100)), { upTo: 3 }));
    expect(parseMarkdown(start.join("")).headings.at(-1)).toBe("h3 Call 1: x");
    expect(start[0]).toContain("Events: 3; turns: 1, calls: 1, decisions: 0");
  });
});

test.each(["`", "`a", "\n", "\\", "\u001b", "\r\n", " ", "&#"])(
  "quoting %j takes time that grows with its length",
  (part) => {
    for (const quote of [codeQuoting.span, codeQuoting.block])
      expect(measureGrowthExponent((count) => quote(part.repeat(count)), 20_000)).toBeLessThan(1.5);
  },
);

test("an event of a type that this version does not know is written as JSON", async () => {
  const [event] = createSessionEvents([{ type: "later.added", text: "## Turn 99" } as unknown as AgentEvent]);
  const text = await render([event!]);
  expect(parseMarkdown(text).headings).toEqual(["h1 Session x", "h2 Outside a turn", "h3 Event: x"]);
  expect(text).toContain('    "text": "## Turn 99"');
});

test("a session without events has only a heading", async () => {
  expect(await render([])).toBe("# Session without events\n\n");
});

async function* toAsync(events: Iterable<Event>): AsyncGenerator<Event> {
  yield* events;
}
