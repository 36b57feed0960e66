import type { AgentEvent, Delta } from "@fairlead/contract";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { delta, journal } from "./events-for-test.ts";
import { Transcript } from "./transcript.ts";

const columns = 24;

/** What an agent might say so that it looks as if we did: with every kind of line end, and with what fills a line. */
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

function linesOf(items: readonly (AgentEvent | Delta)[], asking = false): string[] {
  const transcript = new Transcript({ width: columns, columns, asking });
  const told = items.map((item) => (isDelta(item) ? item : journal(item)[0]!));
  const pieces = [...told.flatMap((item) => transcript.take(item)), ...transcript.end()];
  const text = pieces.map((piece) => piece.text).join("");
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function isDelta(item: AgentEvent | Delta): item is Delta {
  return item.type === "text.delta" || item.type === "reasoning.delta";
}

/** How many cells a line takes, at least: a character each, and two those of ours that are known to be wide. */
function cellsIn(line: string): number {
  return Array.from(line).length + (line.match(/[世界🎉]/gu) ?? []).length;
}

/** What every line must begin with, for each of the ways in which an agent gets to the screen. */
const ways: readonly [name: string, margin: RegExp, items: (said: string) => readonly (AgentEvent | Delta)[]][] = [
  ["a text", /^│( |$)/, (text) => [{ type: "text.ended", text }]],
  ["a text in pieces", /^│( |$)/, (text) => (text.match(/[^]{1,3}/g) ?? []).map((piece) => delta(piece))],
  ["thinking", /^~( |$)/, (text) => [{ type: "reasoning.ended", text }]],
  ["a sub-agent", /^ {2}[↳│] /, (text) => [{ type: "text.ended", text, parent: "call" }]],
  ["a status", /^[·│] /, (message) => [{ type: "status.reported", level: "info", message }]],
  ["an error", /^[✗│] /, (message) => [{ type: "error.raised", category: "unreachable", message }]],
  ["a message of another's", /^> /, (input) => [{ type: "turn.started", turn: "t", input, origin: "user" }]],
  ["a plan", /^ {2}\[ \]( |$)/, (text) => [{ type: "plan.updated", steps: [{ text, state: "pending" }] }]],
  ["a file's name", /^ {2}created/, (path) => [{ type: "file.changed", path, change: "created" }]],
  ["a tool's name", /^▸ /, (name) => [{ type: "tool.requested", call: "1", name, input: {} }]],
  [
    "a tool's input",
    /^▸ run/,
    (command) => [{ type: "tool.requested", call: "1", name: "run", input: { command, more: 1 } }],
  ],
  [
    "what a tool printed",
    /^( {2}✓| {4})/,
    (output) => [{ type: "tool.ended", call: "1", name: "run", ok: true, output }],
  ],
  [
    "a question",
    /^([?│] | {2}1 {2})/,
    (text) => [
      {
        type: "decision.requested",
        decision: "d",
        kind: "question",
        title: text,
        questions: [{ text, options: [{ label: text, description: text }], several: false }],
      },
    ],
  ],
];

describe("no line of an agent's looks like one of ours, nor is broken by the terminal:", () => {
  it.each(ways)("%s", (_, margin, items) => {
    fc.assert(
      fc.property(forgery, (said) => {
        for (const line of linesOf(items(said))) {
          expect(line).toMatch(margin);
          expect(cellsIn(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("what is to be allowed", () => {
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
        for (const line of linesOf([body], true)) {
          expect(line).toMatch(/^([?│] | {4})/);
          expect(cellsIn(line)).toBeLessThanOrEqual(columns);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it("says all that there is to say, whatever the width", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const said = linesOf([{ type: "text.ended", text }]).map((line) => line.slice(2));
      const whole = linesOf([{ type: "text.ended", text }]).length === 0 ? "" : said.join("");
      const transcript = new Transcript();
      const unbroken = transcript.take(journal({ type: "text.ended", text })[0]!)[0]?.text ?? "";
      expect(whole).toBe(unbroken.replace(/\n$/, "").replaceAll(/^│ ?/gm, "").replaceAll("\n", ""));
    }),
  );
});
