import { expect, test } from "vitest";
import { describeSteps, openLiveBench } from "./live.ts";

test("describes steps in plain words, one action per line", () => {
  const run = { run: "echo one" };
  const prompt = describeSteps([{ actions: [{ write: { path: "a.txt", content: "x\n" } }, run] }, { text: "Done." }]);
  expect(prompt.split("\n").slice(1)).toEqual([
    '1. Use your file-writing tool in the same message as the other tool calls to create a.txt with exactly this content: "x\\n"',
    "2. Use your shell tool in the same message as the other tool calls to run exactly this command: echo one",
    "3. Then reply with exactly this and nothing else: Done.",
  ]);
});

test("uses the environment of the user and has no failure cases", async () => {
  await using bench = await openLiveBench({ HOME: "/home/user", UNSET: undefined })("unused");
  expect(bench.environment).toEqual({ HOME: "/home/user" });
  expect(bench.failures).toEqual([]);
  expect("readServedUsage" in bench).toBe(false);
});
