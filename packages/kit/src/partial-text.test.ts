import { maxTextLength } from "@fairlead/contract";
import { expect, test } from "vitest";
import { appendText, endText, noPartialText, type PartialText } from "./partial-text.ts";
import { TransitionWriter } from "./transition-writer.ts";

interface Streamed {
  readonly events: readonly unknown[];
  readonly deltas: readonly string[];
  readonly longest: number;
}

function stream(chunks: readonly string[]): Streamed {
  const writer = new TransitionWriter<object>({});
  let partial: PartialText = noPartialText;
  let longest = 0;
  for (const chunk of chunks) {
    partial = appendText(writer, partial, chunk);
    longest = Math.max(longest, partial.text.length);
  }
  endText(writer, partial);
  const { events = [], deltas = [] } = writer.transition;
  return { events, deltas: deltas.map(({ text }) => text), longest };
}

test("a short text is one event, and an empty one is none", () => {
  expect(stream(["Hel", "lo."]).events).toEqual([{ type: "text.ended", text: "Hello." }]);
  expect(stream(["", ""]).events).toEqual([]);
});

test("a long text is written in parts while it is streamed, and the state stays small", () => {
  const chunks = Array.from({ length: 300 }, (_, index) => String(index % 10).repeat(10_007));
  const { events, deltas, longest } = stream(chunks);
  const parts = events as { text: string; part: number; last?: true }[];
  expect(parts.map(({ part, last }) => [part, last])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, true],
  ]);
  expect(parts.map(({ text }) => text).join("")).toBe(chunks.join(""));
  expect(deltas.join("")).toBe(chunks.join(""));
  expect(longest).toBeLessThanOrEqual(maxTextLength);
});

test("a text that fills one event exactly is not split", () => {
  const half = "x".repeat(maxTextLength / 2);
  expect(stream([half, half]).events).toEqual([{ type: "text.ended", text: half + half }]);
  expect(stream([half, half, "y"]).events).toMatchObject([{ part: 1 }, { part: 2, last: true, text: "y" }]);
});
