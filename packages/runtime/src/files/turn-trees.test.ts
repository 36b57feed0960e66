import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { appendTurnMarks, readTurnTrees } from "./turn-trees.ts";

const createFile = (): string => join(mkdtempSync(join(tmpdir(), "turn-trees-")), "turns.jsonl");

test("a turn whose end was not compared ends where the next one starts", async () => {
  const file = createFile();
  await appendTurnMarks(file, [
    { turn: "one", edge: "start", tree: "a" },
    { turn: "two", edge: "start", tree: "b" },
    { turn: "two", edge: "end", tree: "c" },
    { turn: "three", edge: "start", tree: "c" },
  ]);
  expect(await readTurnTrees(file, "one")).toEqual({ start: "a", end: "b" });
  expect(await readTurnTrees(file, "two")).toEqual({ start: "b", end: "c" });
  expect(await readTurnTrees(file, "three")).toEqual({ start: "c" });
});

test("skips a line that a crash has cut, and repeated marks", async () => {
  const file = createFile();
  await appendTurnMarks(file, [{ turn: "one", edge: "start", tree: "a" }]);
  appendFileSync(file, '{"turn":"one","ed\n');
  await appendTurnMarks(file, [
    { turn: "one", edge: "start", tree: "x" },
    { turn: "one", edge: "end", tree: "b" },
  ]);
  expect(await readTurnTrees(file, "one")).toEqual({ start: "a", end: "b" });
  expect(await readTurnTrees(createFile(), "one")).toEqual({});
});
