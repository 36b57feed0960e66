import type { TurnBucket } from "@fairlead/api";
import { expect, test } from "vitest";
import { groupTurns, sumTurns } from "./turn-sums.ts";

const bucket = (agent: string, workspace: string, waitedMs: number): TurnBucket => {
  const counts = { turns: 3, failed: 2, interrupted: 1, waitedMs, longestWaitMs: waitedMs };
  return { start: "2026-01-01T00:00:00.000Z", agent, workspace, ...counts };
};

const buckets = [bucket("one", "/a", 10), bucket("two", "/a", 30), bucket("one", "/b", 20)];

test("adds counts and times, and keeps the longest wait", () => {
  expect(sumTurns(buckets)).toEqual({ turns: 9, failed: 6, interrupted: 3, waitedMs: 60, longestWaitMs: 30 });
  expect(sumTurns([])).toMatchObject({ turns: 0, waitedMs: 0 });
});

test("groups by agent and workspace, and has nothing by model", () => {
  expect(groupTurns(buckets, "agent")?.get("one")).toMatchObject({ turns: 6, waitedMs: 30, longestWaitMs: 20 });
  expect(groupTurns(buckets, "workspace")?.get("/a")).toMatchObject({ turns: 6, waitedMs: 40 });
  expect(groupTurns(buckets, "model")).toBeUndefined();
});
