import { expect, test } from "vitest";
import { inWords, openLive } from "./live.ts";

test("a script is put into words, act by act", () => {
  const run = { run: "echo one" };
  const words = inWords([{ acts: [{ write: { path: "a.txt", content: "x\n" } }, run] }, { text: "Done." }]);
  expect(words.split("\n").slice(1)).toEqual([
    '1. Use your file-writing tool in the same message as the other tool calls to create a.txt with exactly this content: "x\\n"',
    "2. Use your shell tool in the same message as the other tool calls to run exactly this command: echo one",
    "3. Then reply with exactly this and nothing else: Done.",
  ]);
});

test("it has the environment of its user, and cannot make a service fail", async () => {
  await using stage = await openLive({ HOME: "/home/somebody", UNSET: undefined })("unused");
  expect(stage.environment).toEqual({ HOME: "/home/somebody" });
  expect(stage.failures).toEqual([]);
  expect("served" in stage).toBe(false);
});
