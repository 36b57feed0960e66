import type { AgentEvent, Delta } from "@fairlead/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDelta, createEvents } from "@fairlead/testing/cli/create-events.ts";
import { TranscriptRenderer } from "./transcript-renderer.ts";

const columns = 24;

/** Texts by which an agent might imitate output of the CLI: every kind of line end, and text that fills a line. */
const forgery = fc
  .array(
    fc.oneof(
      fc.constantFrom("\n", "\r\n", "\r", "\u2028", "\u2029", "\u0085", "\u000b", "\u000c", "\u001bE", "\u001b[1G"),
      fc.constantFrom("  allowed by a person", "Allow? [y]es ", "▸ run ls", "  ✓ ok", "— completed", "> hello"),
      fc.constantFrom("\u202e", "\u2066", "\u200b", "\t", "世界", "🎉", "e\u0301", " ".repeat(columns - 2)),
      fc.string({ unit: "grapheme" }),
    ),
  )
  .map((parts) => parts.join(""));

function renderLines(items: readonly (AgentEvent | Delta)[], asking = false): string[] {
  const transcript = new TranscriptRenderer({ width: columns, columns, asking });
  const inputs = items.map((item) => (isDelta(item) ? item : createEvents(item)[0]!));
  const pieces = [...inputs.flatMap((item) => transcript.render(item)), ...transcript.endLine()];
  const text = pieces.map((piece) => piece.text).join("");
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function isDelta(item: AgentEvent | Delta): item is Delta {
  return item.type === "text.delta" || item.type === "reasoning.delta";
}

/** Counts the cells of a line: one for each character, and two for the wide characters of this test. */
function countCells(line: string): number {
  return Array.from(line).length + (line.match(/[世界🎉]/gu) ?? []).length;
}

/** The margin that every line must have, for each way in which an agent's text reaches the screen. */
const renderedForms: readonly [
  name: string,
  margin: RegExp,
  items: (text: string) => readonly (AgentEvent | Delta)[],
][] = [
  ["a text", /^│( |$)/, (text) => [{ type: "text.ended", text }]],
  ["a text in pieces", /^│( |$)/, (text) => (text.match(/[^]{1,3}/g) ?? []).map((piece) => createDelta(piece))],
  ["reasoning", /^~( |$)/, (text) => [{ type: "reasoning.ended", text }]],
  ["a sub-agent", /^ {2}[↳│] /, (text) => [{ type: "text.ended", text, parent: "call" }]],
  ["a status", /^[·│] /, (message) => [{ type: "status.reported", level: "info", message }]],
  ["an error", /^[✗│] /, (message) => [{ type: "error.raised", category: "unreachable", message }]],
  ["a message from another client", /^> /, (input) => [{ type: "turn.started", turn: "t", input, origin: "user" }]],
  ["a plan", /^ {2}\[ \]( |$)/, (text) => [{ type: "plan.updated", steps: [{ text, state: "pending" }] }]],
  ["a file's name", /^ {2}created/, (path) => [{ type: "file.changed", path, change: "created" }]],
  ["a tool's name", /^▸ /, (name) => [{ type: "tool.requested", call: "1", name, input: {} }]],
  [
    "a tool's input",
    /^▸ run/,
    (command) => [{ type: "tool.requested", call: "1", name: "run", input: { command, more: 1 } }],
  ],
  ["a tool's output", /^( {2}✓| {4})/, (output) => [{ type: "tool.ended", call: "1", name: "run", ok: true, output }]],
  [
    "a question",
    /^([?│] | {2}1 {2})/,
    (text) => [
      {
        type: "decision.requested",
        decision: "d",
        kind: "question",
        title: text,
        questions: [{ text, options: [{ label: text, description: text }], multiSelect: false }],
      },
    ],
  ],
];

describe("every line keeps its margin and fits the terminal:", () => {
  it.each(renderedForms)("%s", (_, margin, items) => {
    fc.assert(
      fc.property(forgery, (text) => {
        for (const line of renderLines(items(text))) {
          expect(line).toMatch(margin);
          expect(countCells(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("a request for approval", () => {
    fc.assert(
      fc.property(forgery, forgery, (title, command) => {
        const input = { [title]: command, command: `${command}\n${title}` };
        const body = {
          type: "decision.requested",
          decision: "d",
          kind: "approval",
          title: title || "?",
          input,
        } as const;
        for (const line of renderLines([body], true)) {
          expect(line).toMatch(/^([?│] | {4})/);
          expect(countCells(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it("renders the complete text at any width", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const rows = renderLines([{ type: "text.ended", text }]).map((line) => line.slice(2));
      const whole = renderLines([{ type: "text.ended", text }]).length === 0 ? "" : rows.join("");
      const transcript = new TranscriptRenderer();
      const unbroken = transcript.render(createEvents({ type: "text.ended", text })[0]!)[0]?.text ?? "";
      expect(whole).toBe(unbroken.replace(/\n$/, "").replaceAll(/^│ ?/gm, "").replaceAll("\n", ""));
    }),
  );
});
