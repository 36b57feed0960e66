import { Plan, type RunEvent, type RunEventBody, type RunView } from "@fairlead/api";
import { expect, test } from "vitest";
import { Screen } from "../../screen.ts";
import { noPaint } from "../paint.ts";
import { LiveLines } from "./live-lines.ts";
import { runProblemLines } from "./run-problems.ts";
import { runSentences } from "./run-sentences.ts";
import { runTable } from "./run-table.ts";
import { runTree } from "./run-tree.ts";

const at = "2026-01-01T00:00:00.000Z";
const now = Date.parse(at) + 125_000;
const part = { vendor: "North", session: "s1", since: at, endedAt: null, changes: null, usd: null };
const view: RunView = {
  run: "run-1",
  goal: "Add a parser\u001b[2J\nwith tests",
  workspace: "/w",
  base: "c0",
  startedAt: at,
  endedAt: null,
  outcome: null,
  reason: "1 task is in work.",
  waitingTasks: ["docs"],
  parts: [
    { ...part, kind: "task", task: "parser", agent: "north", state: "building", usd: 0.5 },
    {
      ...part,
      kind: "review",
      task: null,
      agent: "south",
      state: "approved",
      changes: { files: 1, added: 2, removed: 3 },
    },
  ],
  verdict: null,
  decision: null,
  request: null,
  usd: 0.5,
};

test("a run is a tree with one line for each part", () => {
  expect(runTree(view, { now, width: 80, paint: noPaint })).toEqual([
    "run-1 · Add a parser with tests · 2 min · $0.5000",
    "  parser  north  building  2 min  $0.5000",
    "  review  south  approved  2 min  -        1 file, +2 −3",
    "  docs           waiting",
    "1 task is in work.",
  ]);
  for (const line of runTree(view, { now, width: 40, paint: noPaint })) expect(line.length).toBeLessThanOrEqual(40);
});

test("a run that waits or has ended says how to continue", () => {
  const decision = { session: "run-1" } as RunView["decision"];
  expect(runTree({ ...view, decision }, { now, width: 80, paint: noPaint }).at(-1)).toBe(
    "Read it with: fairlead approve run-1 --show",
  );
  const ended = { ...view, outcome: "failed", reason: "git failed.\u001b[31m", request: "file:///r" } as const;
  expect(runTree(ended, { now, width: 80, paint: noPaint }).slice(-2)).toEqual([
    "failed: git failed.",
    "Request: file:///r",
  ]);
});

test("runs are a table", () => {
  const reviewing = { ...view, parts: view.parts.map((one) => ({ ...one, state: "reviewing" })) };
  expect(runTable([reviewing], { now, width: 80, paint: noPaint })).toEqual([
    "RUN    STATE      STARTED  TASKS  COST     GOAL",
    "run-1  reviewing  2 min    2      $0.5000  Add a parser with tests",
  ]);
  const asking = { ...view, parts: view.parts.map((one) => ({ ...one, state: "asks you" })) };
  expect(runTable([asking], { now, width: 80, paint: noPaint })[1]).toMatch(/^run-1 +waiting /);
  const states = runTable([{ ...view, parts: [] }], { now, width: 80, paint: noPaint });
  expect(states[1]).toMatch(/^run-1 +open /);
});

const plan = Plan.parse({ goal: "g", tasks: [{ id: "a", brief: "b" }], reviewer: {}, forge: { kind: "git" } });
const agent = { session: "s1", agent: "north", vendor: "North" };
const changes = { files: 1, added: 2, removed: 0 };
const command = {
  command: "npm test",
  session: "s3",
  passed: false,
  problem: "exit code 1",
  output: "1\n2\n3\n4\n\n5\u001b[2J\n6\n",
};
const finding = { path: "a.ts", line: 3, what: "wrong\u001b]0;x\u0007", severity: "error" } as const;
const bodies: RunEventBody[] = [
  { type: "run.started", plan, workspace: "/w", base: "c0", by: "ann" },
  { type: "task.started", task: "a", ...agent, base: "c0" },
  { type: "snapshot.made", task: "a", session: "s1", tree: "t1", commit: "c1", changes },
  { type: "command.started", command: "npm test", session: "s3" },
  { type: "acceptance.ended", task: "a", tree: "t1", passed: false, commands: [command] },
  { type: "work.returned", task: "a", session: "s1", reason: "acceptance", round: 1 },
  { type: "acceptance.ended", task: "a", tree: "t2", passed: true, commands: [{ ...command, passed: true }] },
  { type: "task.ended", task: "a", outcome: "done", reason: "", commit: "c2" },
  { type: "join.started", ...agent, conflicts: ["a.ts"], reason: "" },
  { type: "work.joined", tree: "t2", commit: "c2", conflicts: [], changes },
  { type: "review.started", ...agent, tree: "t2", round: 1 },
  { type: "verdict.given", ...agent, tree: "t2", verdict: "changes", findings: [finding] },
  { type: "verdict.given", ...agent, tree: "t2", verdict: "approve", findings: [] },
  {
    type: "decision.requested",
    decision: "d",
    tree: "t2",
    changes,
    findings: [],
    acceptance: [],
    usd: 1.5,
    deadline: null,
  },
  { type: "decision.resolved", decision: "d", outcome: "allowed", by: "ann" },
  { type: "branch.pushed", branch: "fairlead/run-1", commit: "c2", tree: "t2", remote: "origin" },
  { type: "request.made", branch: "fairlead/run-1", address: "file:///r" },
  { type: "run.ended", outcome: "done", reason: "" },
];
const toEvents = (list: readonly RunEventBody[]): RunEvent[] =>
  list.map((body, index) => ({ run: "run-1", seq: index + 1, at, body }));

test("explains each step and what enforced it", () => {
  const sentences = runSentences(toEvents(bodies));
  const texts = sentences.map(({ text }) => text);
  expect(texts).toMatchInlineSnapshot(`
    [
      "ann started run-1 in /w, from commit c0.",
      "north (North) builds task a in session s1.",
      "Fairlead stored task a as tree t1: 1 file, +2 −0.",
      "npm test runs in session s3.",
      "1 of 1 commands failed on tree t1.",
      "Task a was sent back to session s1, because a command failed (round 1).",
      "The command passed on tree t2: npm test.",
      "Task a ended: done.",
      "north (North) resolves a conflict in session s1.",
      "The work of the tasks was joined as tree t2: 1 file, +2 −0.",
      "north (North) reviews tree t2 in session s1 (round 1).",
      "north (North) asked for changes of tree t2: 1 finding.",
      "north (North) approved tree t2: 0 findings.",
      "A person was asked to approve tree t2: 1 file, +2 −0, $1.50 so far.",
      "ann approved it.",
      "Fairlead pushed tree t2 as fairlead/run-1 to origin.",
      "The request for fairlead/run-1 is file:///r.",
      "The run ended: done.",
    ]
  `);
  expect(sentences[4]?.details).toEqual(["npm test: exit code 1"]);
  expect(sentences[4]?.output).toEqual(["2", "3", "4", "5", "6", "Read it all with: fairlead logs s3"]);
  expect(sentences[11]?.details).toEqual(["error: a.ts:3: wrong"]);
  expect(sentences[15]?.enforced).toContain("the tree that was reviewed and approved");
  expect(JSON.stringify(sentences)).not.toContain("\\u001b");
});

test("does not claim a review of a tree that nobody reviewed", () => {
  const pushed = { type: "branch.pushed", branch: "b", commit: "c", tree: "t3", remote: "origin" } as const;
  const last = runSentences(toEvents([...bodies.slice(0, 15), pushed])).at(-1);
  expect(last?.enforced).toBe("The events do not show a review and an approval of this tree.");
});

test("explains all ways in which a decision is resolved", () => {
  const resolved = (outcome: "denied" | "canceled" | "timed-out", by: string | null) =>
    ({ type: "decision.resolved", decision: "d", outcome, by, message: "not now" }) as const;
  const texts = runSentences(
    toEvents([resolved("denied", "ann"), resolved("canceled", "ann"), resolved("timed-out", null)]),
  );
  expect(texts.map(({ text }) => text)).toEqual([
    "ann denied it. not now",
    "ann canceled the run before it was decided.",
    "Nobody decided before the deadline.",
  ]);
});

test("live lines are drawn again in place, only if they change, and never beyond the screen", () => {
  const written: string[] = [];
  const stream = { isTTY: true, columns: 80, write: (text: string) => written.push(text) };
  const live = new LiveLines(new Screen(stream, stream, {}));
  live.draw(["one", "two"], 10);
  live.draw(["one", "two"], 10);
  live.draw(["one", "three"], 10);
  live.draw(["a", "b", "c", "d"], 3);
  live.draw(["a"], 3);
  expect(written).toEqual([
    "one\ntwo\n",
    "\u001b[2A\u001b[Jone\nthree\n",
    "\u001b[2A\u001b[Ja\n… 2 more lines\nd\n",
    "\u001b[3A\u001b[Ja\n",
  ]);
});

test("shows why work was not accepted: the last failed commands, or the findings", () => {
  expect(runProblemLines(toEvents(bodies.slice(0, 5)))).toEqual([
    "  npm test: exit code 1",
    ...["2", "3", "4", "5", "6", "Read it all with: fairlead logs s3"].map((line) => `    ${line}`),
  ]);
  expect(runProblemLines(toEvents(bodies.slice(0, 7)))).toEqual([]);
  expect(runProblemLines(toEvents(bodies.slice(0, 12)))).toEqual(["  error: a.ts:3: wrong"]);
  expect(runProblemLines(toEvents(bodies))).toEqual([]);
  const lines = runTree(view, { now, width: 80, paint: noPaint, problems: ["  why"] });
  expect(lines.slice(-2)).toEqual(["1 task is in work.", "  why"]);
});

test("a tree that is taller than the terminal keeps its first and last lines", () => {
  const [first] = view.parts;
  const parts = (count: number, state: string) => Array.from({ length: count }, () => ({ ...first!, state }));
  const decision = { session: "run-1" } as RunView["decision"];
  const large = (...list: RunView["parts"][]): RunView => ({
    ...view,
    decision,
    parts: list.flat(),
    waitingTasks: Array.from({ length: 26 }, (_, at) => `task-${at}`),
  });
  const draw = (one: RunView) => runTree(one, { now, width: 80, paint: noPaint, maxRows: 10 });
  const waiting = draw(large(parts(2, "building")));
  expect(waiting).toHaveLength(6);
  expect(waiting[0]).toMatch(/^run-1 · /);
  expect(waiting.slice(3)).toEqual([
    "  26 tasks wait",
    "1 task is in work.",
    "Read it with: fairlead approve run-1 --show",
  ]);
  expect(draw(large(parts(20, "done"), parts(1, "building"))).slice(2, 4)).toEqual([
    "  20 parts are done",
    "  26 tasks wait",
  ]);
  const busy = draw(large(parts(20, "done"), parts(20, "building")));
  expect(busy).toHaveLength(10);
  expect(busy.slice(5, 8)).toEqual(["  … 16 more in work", "  20 parts are done", "  26 tasks wait"]);
});
