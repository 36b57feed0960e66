import { expect, test } from "vitest";
import { isRecorded, type TakeoverReport } from "../claims/takeover-recorded/takeover-recorded.ts";

const once: TakeoverReport = {
  messages: 1,
  answers: 1,
  calls: 1,
  isOutputShown: true,
  wasRun: true,
  files: ["created written.txt", "created ran.txt"],
  sources: ["transcript"],
  usage: 10,
  served: [10, 12],
};

test.each<[string, Partial<TakeoverReport>, boolean]>([
  ["everything once", {}, true],
  ["two messages", { messages: 2 }, false],
  ["two answers", { answers: 2 }, false],
  ["no answer", { answers: 0 }, false],
  ["two calls", { calls: 2 }, false],
  ["a file twice", { files: ["created written.txt", "created written.txt"] }, false],
  ["a file with two changes", { files: ["created written.txt", "modified written.txt"] }, false],
  ["two turns", { sources: ["transcript", "transcript"] }, false],
  ["too many tokens", { usage: 20 }, false],
])("a report with %s holds only if everything is recorded once", (_, change, holds) => {
  expect(isRecorded({ ...once, ...change })).toBe(holds);
});
