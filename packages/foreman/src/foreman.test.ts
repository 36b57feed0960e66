import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentView, type Fairlead, Plan, type RunRequest, type RunView } from "@fairlead/api";
import { FairleadError, type Answer } from "@fairlead/contract";
import { Home } from "@fairlead/runtime";
import { type ApprovalForemanOptions, approvalForeman } from "@fairlead/testing/foreman/approval-foreman.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Foreman, type ForemanOptions } from "./foreman.ts";
import { RunLog } from "./log/run-log.ts";

let home: Home;
beforeEach(() => (home = new Home(mkdtempSync(join(tmpdir(), "fairlead-foreman-")))));
afterEach(() => rmSync(home.folder, { recursive: true }));

const agent = (name: string, vendor: string): AgentView => ({
  agent: name,
  label: name,
  vendor,
  adapterVersion: "1",
  capabilities: ["host-tools"],
  modes: ["default", "full-auto"],
  models: [],
  verified: true,
  probeResult: { installed: true, program: null, version: null, flags: [], auth: "none", problems: [] },
});
const fairlead = {
  agents: async () => [agent("north", "North"), agent("south", "South")],
  usage: async () => [],
} as unknown as Fairlead;
const plan = Plan.parse({ goal: "g", tasks: [{ id: "a", brief: "b" }], reviewer: {}, forge: { kind: "git" } });
const request: RunRequest = { plan, workspace: "/w" };
const allow: Answer = { type: "allow" };
const deny: Answer = { type: "deny", message: "not now", interrupt: false };
const ann = { by: "ann" };

const open = (options: ApprovalForemanOptions = {}, other: Partial<ForemanOptions> = {}) =>
  Foreman.open({ fairlead, home, ...approvalForeman(home, options), ...other });

async function startWaiting(foreman: Foreman, key = "k"): Promise<string> {
  const { run } = await foreman.start(request, { key, by: "ann" });
  await vi.waitFor(async () => expect((await foreman.run(run)).decision).not.toBeNull());
  return run;
}

async function waitForEnd(foreman: Foreman, run: string): Promise<RunView> {
  return await vi.waitFor(async () => {
    const view = await foreman.run(run);
    expect(view.outcome).not.toBeNull();
    return view;
  });
}

const resolutionsOf = async (foreman: Foreman, run: string) =>
  (await foreman.events({ run })).events.flatMap(({ body }) => (body.type === "decision.resolved" ? [body] : []));

test("starts a run once per key, with the chosen agents in its plan", async () => {
  await using foreman = await open();
  const runs = await Promise.all([1, 2, 3].map(() => foreman.start(request, { key: "k", by: "ann" })));
  expect(new Set(runs.map(({ run }) => run))).toHaveLength(1);
  const run = runs[0]?.run ?? "";
  expect(run).toMatch(/^run-[a-z0-9]{12}$/);
  const [started] = (await foreman.events({ run })).events;
  expect(started?.body).toMatchObject({
    type: "run.started",
    by: "ann",
    base: "c0",
    plan: { tasks: [{ builder: { agent: "north" } }], reviewer: { agent: "south" } },
  });
  expect((await foreman.runs()).runs).toHaveLength(1);
});

test("refuses a plan with problems, and leaves no run", async () => {
  await using foreman = await open({ problem: new FairleadError("not-supported", "no repository") });
  const wrong = { ...request, plan: { ...plan, reviewer: { needs: [], agent: "west" } } };
  await expect(foreman.start(wrong, { key: "k", by: "ann" })).rejects.toMatchObject({
    code: "invalid-request",
    message: "There is no agent west. Agents: north, south.",
  });
  await expect(foreman.start(request, { key: "k", by: "ann" })).rejects.toThrow("no repository");
  expect(await foreman.runs()).toEqual({ runs: [], next: null });
});

test("a person approves, and the run continues", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  expect(await foreman.decisions()).toMatchObject([{ session: run, decision: "merge", agent: "foreman" }]);
  const [decision] = await foreman.decisions();
  await foreman.answer(run, "merge", { ...allow, digest: decision?.digest }, ann);
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "done", decision: null });
  expect(await foreman.decisions()).toEqual([]);
  expect(await resolutionsOf(foreman, run)).toMatchObject([{ outcome: "allowed", by: "ann" }]);
});

test("a denial ends the run as blocked, with the person's message", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  await foreman.answer(run, "merge", deny, ann);
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "blocked" });
  expect(await resolutionsOf(foreman, run)).toMatchObject([{ outcome: "denied", by: "ann", message: "not now" }]);
});

test("the first of two answers counts", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  const answers = await Promise.allSettled([
    foreman.answer(run, "merge", allow, ann),
    foreman.answer(run, "merge", deny, { by: "ben" }),
  ]);
  const refused = answers.filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([{ reason: { code: "decision-not-open" } }]);
  await waitForEnd(foreman, run);
  const [counted, ...others] = await resolutionsOf(foreman, run);
  expect(others).toEqual([]);
  const [same, other] = counted?.outcome === "allowed" ? [allow, deny] : [deny, allow];
  await foreman.answer(run, "merge", same, ann); // has no effect
  await expect(foreman.answer(run, "merge", other, ann)).rejects.toMatchObject({ code: "decision-not-open" });
  expect(await resolutionsOf(foreman, run)).toHaveLength(1);
});

test("refuses an answer to another decision than the open one, to a changed one, and of another form", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  await expect(foreman.answer(run, "other", allow, ann)).rejects.toMatchObject({ code: "decision-not-open" });
  const digest = "0".repeat(64);
  await expect(foreman.answer(run, "merge", { ...allow, digest }, ann)).rejects.toMatchObject({ code: "conflict" });
  for (const answer of [
    { ...allow, remember: "rule" },
    { ...allow, input: {} },
    { type: "choose", answers: {} },
  ])
    await expect(foreman.answer(run, "merge", answer as Answer, ann)).rejects.toMatchObject({
      code: "invalid-request",
    });
  expect((await foreman.run(run)).decision).not.toBeNull();
});

test("a cancel resolves the open decision, and a later answer is refused", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  await foreman.cancel(run, ann);
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "canceled" });
  await expect(foreman.answer(run, "merge", allow, ann)).rejects.toMatchObject({
    code: "decision-not-open",
    message: expect.stringContaining("the run was canceled"),
  });
  expect(await resolutionsOf(foreman, run)).toMatchObject([{ outcome: "canceled", by: "ann" }]);
  expect(await foreman.cancel(run, ann)).toMatchObject({ outcome: "canceled" });
});

test("an answer after the deadline is refused, also if no process has noticed the deadline yet", async () => {
  await using foreman = await open({ deadline: 3_600_000 }, { now: () => Date.now() + 7_200_000 });
  const run = await startWaiting(foreman);
  await expect(foreman.answer(run, "merge", allow, ann)).rejects.toMatchObject({
    code: "decision-not-open",
    message: expect.stringContaining("its deadline has passed"),
  });
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "timed-out" });
});

test("a run ends as timed-out when nobody decides", async () => {
  await using foreman = await open({ deadline: 50 });
  const { run } = await foreman.start(request, { key: "k", by: "ann" });
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "timed-out" });
  expect(await resolutionsOf(foreman, run)).toMatchObject([{ outcome: "timed-out", by: null }]);
});

test("an answer counts after a restart between the answer and the signal", async () => {
  let run = "";
  {
    await using foreman = await open();
    run = await startWaiting(foreman);
  }
  {
    await using log = await RunLog.open(home.runLogFile);
    await log.resolve(run, { type: "decision.resolved", decision: "merge", outcome: "allowed", by: "ann" });
  }
  await using foreman = await open();
  expect(await waitForEnd(foreman, run)).toMatchObject({ outcome: "done" });
});

test("a run starts after a restart between its first event and the start of its workflow", async () => {
  {
    await using log = await RunLog.open(home.runLogFile);
    await log.append("run-1", "started", { type: "run.started", plan, workspace: "/w", base: "c0", by: "ann" });
  }
  await using foreman = await open();
  await vi.waitFor(async () => expect(await foreman.decisions()).toHaveLength(1));
});

test("waits for the next event of a run", async () => {
  await using foreman = await open();
  const run = await startWaiting(foreman);
  const { events } = await foreman.events({ run });
  const after = events.at(-1)?.seq ?? 0;
  expect(await foreman.events({ run, after, wait: 20 })).toEqual({ events: [], ended: false });
  const next = foreman.events({ run, after, wait: 20_000 });
  await foreman.answer(run, "merge", allow, ann);
  expect((await next).events).toMatchObject([{ body: { type: "decision.resolved" } }]);
  await waitForEnd(foreman, run);
  expect(await foreman.events({ run, after })).toMatchObject({ ended: true });
  // An ended run has no more events: the reply does not wait.
  expect(await foreman.events({ run, after: 1000, wait: 20_000 })).toEqual({ events: [], ended: true });
});

test("finds a run by a unique beginning of its id", async () => {
  await using foreman = await open();
  const [one, two] = [await startWaiting(foreman, "one"), await startWaiting(foreman, "two")];
  expect((await foreman.run(one.slice(0, 10))).run).toBe(one);
  expect((await foreman.run(two.slice(4, 10))).run).toBe(two);
  await expect(foreman.run("run-")).rejects.toMatchObject({ code: "invalid-request" });
  for (const ref of ["", "zzz", `${one}0`])
    await expect(foreman.run(ref)).rejects.toMatchObject({ code: "session-not-found" });
});

test("lists a thousand old runs by page, and reads only the runs of the page", async () => {
  const count = 1000;
  {
    await using log = await RunLog.open(home.runLogFile);
    const started = { type: "run.started", plan, workspace: "/w", base: "c0", by: "ann" } as const;
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        await log.append(`run-${index}`, "started", started);
        await log.append(`run-${index}`, "end", { type: "run.ended", outcome: "done", reason: "" });
      }),
    );
  }
  await using foreman = await open();
  const read = vi.spyOn(RunLog.prototype, "last");
  const first = await foreman.runs({ limit: 20 });
  expect(read.mock.calls.length).toBeLessThan(50);
  expect(await foreman.decisions()).toEqual([]);
  expect(read.mock.calls.length).toBeLessThan(50);
  read.mockRestore();
  const seen = first.runs.map(({ run }) => run);
  for (let { next } = first; next !== null;) {
    const page = await foreman.runs({ limit: 300, cursor: next });
    seen.push(...page.runs.map(({ run }) => run));
    next = page.next;
  }
  expect(new Set(seen)).toHaveLength(count);
  expect(seen).toHaveLength(count);
});
