import { Plan, type RunEvent, type RunEventBody, RunView } from "@fairlead/api";
import { expect, test } from "vitest";
import { toRunView } from "./to-run-view.ts";

const plan = Plan.parse({
  goal: "Add a parser\nand its tests",
  tasks: [
    { id: "parser", brief: "b" },
    { id: "tests", brief: "b", after: ["parser"] },
  ],
  reviewer: {},
  forge: { kind: "git" },
});
const changes = { files: 2, added: 10, removed: 1 };
const north = { session: "s1", agent: "north", vendor: "North" };
const south = { session: "s2", agent: "south", vendor: "South" };
const started: RunEventBody = { type: "run.started", plan, workspace: "/w", base: "c0", by: "ann" };
const building: RunEventBody = { type: "task.started", task: "parser", ...north, base: "c0" };
const snapshot: RunEventBody = {
  type: "snapshot.made",
  task: "parser",
  session: "s1",
  tree: "t1",
  commit: "c1",
  changes,
};
const returned: RunEventBody = { type: "work.returned", task: "parser", session: "s1", reason: "findings", round: 1 };
const taskDone: RunEventBody = { type: "task.ended", task: "parser", outcome: "done", reason: "", commit: "c1" };
const reviewing: RunEventBody = { type: "review.started", ...south, tree: "t1", round: 1 };
const findings = [{ path: "a.ts", what: "wrong", severity: "error" as const }];
const verdict: RunEventBody = { type: "verdict.given", ...south, tree: "t1", verdict: "changes", findings };
const requested = {
  type: "decision.requested",
  decision: "d1",
  tree: "t1",
  changes,
  findings,
  acceptance: [{ command: "npm test", session: "s3", passed: true, problem: null, output: "long" }],
  usd: 1.5,
  deadline: "2026-01-02T00:00:00.000Z",
} satisfies RunEventBody;
const ended: RunEventBody = { type: "run.ended", outcome: "canceled", reason: "ann canceled it." };

function view(...bodies: RunEventBody[]): RunView {
  const events = bodies.map((body, index): RunEvent => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
    return { run: "run-1", seq: index + 1, at, body };
  });
  return RunView.parse(toRunView(events));
}

test("shows tasks that wait and tasks in work", () => {
  expect(view(started)).toMatchObject({ outcome: null, waitingTasks: ["parser", "tests"], reason: "2 tasks wait." });
  const working = view(started, building, snapshot);
  expect(working).toMatchObject({
    waitingTasks: ["tests"],
    reason: "1 task is in work.",
    parts: [{ task: "parser", agent: "north", state: "testing", changes, endedAt: null }],
  });
  expect(view(started, building, taskDone).parts).toMatchObject([{ state: "done", endedAt: expect.any(String) }]);
});

test("shows a review of several rounds as one part, and returned work as open again", () => {
  const events = [started, building, taskDone, reviewing, verdict, returned] as const;
  expect(view(...events)).toMatchObject({
    parts: [
      { kind: "task", state: "returned", endedAt: null },
      { kind: "review", state: "changes" },
    ],
    verdict: { tree: "t1", verdict: "changes", findings },
  });
  const again = view(...events, taskDone, { ...reviewing, round: 2 });
  expect(again.parts).toMatchObject([{ kind: "task" }, { kind: "review", state: "reviewing", endedAt: null }]);
  expect(again.reason).toBe("south reviews the work.");
});

test("has the decision of a run in the form of all decisions", () => {
  const { decision, reason, usd } = view(started, building, taskDone, requested);
  expect(decision).toMatchObject({
    decision: "d1",
    kind: "approval",
    session: "run-1",
    agent: "foreman",
    title: "Send for merging: Add a parser and its tests",
    deadline: "2026-01-02T00:00:00.000Z",
    input: { tree: "t1", changes, findings, acceptance: [{ command: "npm test", passed: true }], usd: 1.5 },
  });
  expect({ reason, usd }).toEqual({ reason: "A person has to approve it.", usd: 1.5 });
});

test("has another digest for another tree", () => {
  const digest = (body: RunEventBody) => view(started, body).decision?.digest;
  expect(digest(requested)).not.toBe(digest({ ...requested, tree: "t2" }));
});

test("ends the decision when it is resolved, and all parts when the run ends", () => {
  const resolved: RunEventBody = { type: "decision.resolved", decision: "d1", outcome: "allowed", by: "ann" };
  expect(view(started, requested, resolved).decision).toBeNull();
  expect(view(started, requested, { ...resolved, decision: "d0" }).decision).not.toBeNull();
  expect(view(started, building, requested, ended)).toMatchObject({
    decision: null,
    outcome: "canceled",
    reason: "ann canceled it.",
    parts: [{ state: "canceled" }],
  });
});

test("throws `corrupt` without the start", () => {
  expect(() => toRunView([])).toThrow(expect.objectContaining({ code: "corrupt" }));
  expect(() => view(building)).toThrow(expect.objectContaining({ code: "corrupt" }));
});
