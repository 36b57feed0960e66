import { type DecisionView, type OverviewFrame, zeroCounts } from "@fairlead/api";
import { exampleSession } from "@fairlead/testing/web/example-session.ts";
import { expect, test } from "vitest";
import { applyOverview, emptyOverview } from "./overview.ts";

const nothing: OverviewFrame = {
  reset: false,
  sessions: [],
  removed: [],
  decisions: [],
  closed: [],
  counts: zeroCounts(),
  caughtUp: false,
  position: "p",
};
const decision: DecisionView = {
  session: "s1",
  decision: "d1",
  agent: "scripted",
  kind: "approval",
  title: "write a file",
  since: "2026-11-19T10:00:00.000Z",
  digest: "0",
  replaces: false,
};

test("a session and a decision are added, replaced and removed", () => {
  const added = applyOverview(emptyOverview, { ...nothing, sessions: [exampleSession()], decisions: [decision] });
  expect([added.sessions.size, added.decisions.size, added.isComplete]).toEqual([1, 1, false]);
  const replaced = applyOverview(added, { ...nothing, sessions: [exampleSession({ state: "ended" })], caughtUp: true });
  expect([replaced.sessions.get("s1")?.state, replaced.isComplete]).toEqual(["ended", true]);
  const removed = applyOverview(replaced, { ...nothing, removed: ["s1"], closed: [decision] });
  expect([removed.sessions.size, removed.decisions.size, removed.isComplete]).toEqual([0, 0, true]);
});

test("a reset drops what was known, and is complete only once it has caught up", () => {
  const before = applyOverview(emptyOverview, { ...nothing, sessions: [exampleSession()], caughtUp: true });
  const after = applyOverview(before, { ...nothing, reset: true, sessions: [exampleSession({ session: "s2" })] });
  expect([[...after.sessions.keys()], after.isComplete]).toEqual([["s2"], false]);
});

test("a map without a change stays the same object, so that nothing is computed again", () => {
  const before = applyOverview(emptyOverview, { ...nothing, sessions: [exampleSession()], decisions: [decision] });
  const after = applyOverview(before, { ...nothing, sessions: [exampleSession({ state: "ended" })] });
  expect(after.decisions).toBe(before.decisions);
  expect(applyOverview(before, nothing).sessions).toBe(before.sessions);
});
