import { hiddenLines, sanitizeText, takeFirstLines, toOneLine } from "@fairlead/api";
import { escapeInvisible, toSafeJsonLine } from "@fairlead/contract";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { expect, it } from "vitest";
import { AgentTextRenderer } from "./agent-text-renderer.ts";
import { approvalLines, questionLines } from "./decision-lines.ts";
import { noPaint } from "./paint.ts";
import { table, truncateLine, wrapMessage, wrapText, wrapWords } from "./text-layout.ts";
import { inputHeading, inputLines } from "./tool-input.ts";
import { showsAll, toolEndingLines } from "./tool-lines.ts";

const endingOptions = { paint: noPaint, width: 80, showName: true, isOutputShown: false };

/** Everything that renders text of an agent. */
const renderers: Readonly<Record<string, (text: string) => unknown>> = {
  sanitizeText,
  escapeInvisible,
  toSafeJsonLine,
  toOneLine,
  showsAll,
  hiddenLines,
  takeFirstLines: (text) => takeFirstLines(text, 10),
  truncateLine: (text) => truncateLine(text, 80),
  wrapText: (text) => wrapText(text, 80),
  wrapWords: (text) => [wrapWords(text, "", 80), wrapWords(text, "", Infinity)],
  wrapMessage: (text) => [wrapMessage(text, 80), wrapMessage(text, Infinity)],
  inputHeading: (command) => inputHeading({ command }, 80),
  inputLines: (command) => [inputLines({ command }, { columns: 80 }), inputLines({ command }, { full: true })],
  approvalLines: (text) =>
    approvalLines({ title: text, tool: "run", input: { text } }, { paint: noPaint, columns: 80 }),
  questionLines: (text) => questionLines({ text, options: [{ label: text, description: text }] } as never, noPaint, 80),
  toolEndingLines: (output) =>
    toolEndingLines({ type: "tool.ended", name: "run", ok: true, output } as never, endingOptions),
  table: (text) => table(text.split("\n").map((line) => [line.slice(0, 10), "x"])),
  agentText: (text) => {
    const renderer = new AgentTextRenderer(noPaint, 80);
    return [renderer.append({ type: "text.delta", text } as never), renderer.complete("text", text)];
  },
};

const parts = ["\u009d", " ", "\n", " \n", "x ", ": ", "\u001b]", "\u001b[1", "\t", "漢"];

it.each(Object.entries(renderers))("%s takes time that grows with the length of the text", (_name, render) => {
  // 2 if it grew with the square
  for (const part of parts)
    expect(
      measureGrowthExponent((count) => render(`${part.repeat(count)}x`), 5000),
      JSON.stringify(part),
    ).toBeLessThan(1.5);
});

it("aligns a table of more rows than a call can have arguments", () => {
  expect(table(Array.from({ length: 300_000 }, () => ["a", "b"]))).toHaveLength(300_000);
});
