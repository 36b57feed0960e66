import { existsSync } from "node:fs";
import type { Fairlead, RunRequestInput, RunView } from "@fairlead/api";
import { withScript } from "@fairlead/kit";
import { approvalForeman, type ApprovalForemanOptions } from "@fairlead/testing/foreman/approval-foreman.ts";
import { twoVendors } from "@fairlead/testing/foreman/two-vendors.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import type { LocalFairlead } from "../local-fairlead.ts";

const plan = {
  goal: "Greet",
  tasks: [{ id: "a", brief: "Say hello." }],
  builder: { agent: "scripted" },
  reviewer: { agent: "second" },
  forge: { kind: "git" as const },
};
vi.setConfig({ testTimeout: 60_000 });

const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
const allow = { type: "allow" } as const;

const open = (home: ServiceTestHome, options: ApprovalForemanOptions = {}): Promise<LocalFairlead> =>
  home.openWith({ adapters: twoVendors, foreman: approvalForeman(home.home, options) });

async function startWaiting(fairlead: Fairlead, workspace: string, key = "k"): Promise<string> {
  const { run } = await fairlead.startRun({ plan, workspace }, { key });
  await vi.waitFor(async () => expect((await fairlead.run(run)).decision).not.toBeNull());
  return run;
}

async function waitForEnd(fairlead: Fairlead, run: string): Promise<RunView> {
  return await vi.waitFor(async () => {
    const view = await fairlead.run(run);
    expect(view.outcome).not.toBeNull();
    return view;
  });
}

test("a data directory without runs has no files of them", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await open(home);
  expect(await fairlead.runs()).toEqual({ runs: [], next: null });
  expect(await fairlead.decisions()).toEqual([]);
  expect(await fairlead.checkRun({ plan, workspace: home.folder })).toMatchObject({ problems: [] });
  await expect(fairlead.run("run-1")).rejects.toMatchObject({ code: "session-not-found" });
  await expect(fairlead.runEvents({ run: "run-1" })).rejects.toMatchObject({ code: "session-not-found" });
  await expect(fairlead.answer("run-1", "merge", allow)).rejects.toMatchObject({ code: "session-not-found" });
  expect(existsSync(home.home.foremanFolder)).toBe(false);
});

test("refuses a plan in one sentence per problem, before anything starts", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await open(home);
  const request = { plan: { ...plan, reviewer: { agent: "scripted" } }, workspace: home.folder };
  const problem = "There is no second vendor: Fairlead makes both the builder scripted and the reviewer scripted.";
  expect((await fairlead.checkRun(request)).problems).toEqual([problem]);
  await expect(fairlead.startRun(request)).rejects.toMatchObject({ code: "invalid-request", message: problem });
  await expect(fairlead.startRun({ plan: {}, workspace: "/" } as RunRequestInput)).rejects.toMatchObject({
    code: "invalid-request",
  });
  await expect(fairlead.startRun({ plan, workspace: "not absolute" })).rejects.toThrow();
  expect(await fairlead.runs()).toEqual({ runs: [], next: null });
  expect((await fairlead.sessions()).sessions).toEqual([]);
});

test("a run is started once per key, listed and answered as sessions are", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await open(home);
  const run = await startWaiting(fairlead, home.folder);
  expect((await fairlead.startRun({ plan, workspace: home.folder }, { key: "k" })).run).toBe(run);
  await expect(
    fairlead.startRun({ plan: { ...plan, goal: "Other" }, workspace: home.folder }, { key: "k" }),
  ).rejects.toMatchObject({ code: "conflict" });
  const [decision] = await fairlead.decisions();
  expect(decision).toMatchObject({ session: run, kind: "approval", title: "Send for merging: Greet" });
  await fairlead.answer(run, decision?.decision ?? "", { ...allow, digest: decision?.digest }, { key: "answer" });
  await fairlead.answer(run, decision?.decision ?? "", { ...allow, digest: decision?.digest }, { key: "answer" });
  expect(await waitForEnd(fairlead, run)).toMatchObject({ outcome: "done" });
  const late = fairlead.answer(run, "merge", { type: "deny", message: "", interrupt: false });
  await expect(late).rejects.toMatchObject({ code: "decision-not-open" });
});

test("a run that waits is answered after a restart", async () => {
  await using home = new ServiceTestHome();
  const first = await open(home);
  const run = await startWaiting(first, home.folder);
  await home.close(first);
  const second = await open(home);
  await vi.waitFor(async () => expect(await second.decisions()).toHaveLength(1));
  await second.answer(run, "merge", allow);
  expect(await waitForEnd(second, run)).toMatchObject({ outcome: "done" });
});

test("two processes show the same runs, and an answer in one continues the run of the other", async () => {
  await using home = new ServiceTestHome();
  const first = await open(home);
  const run = await startWaiting(first, home.folder);
  const second = await open(home);
  expect(await second.decisions()).toMatchObject([{ session: run }]);
  await second.answer(run, "merge", allow);
  expect(await waitForEnd(first, run)).toMatchObject({ outcome: "done" });
  expect(await second.decisions()).toEqual([]);
});

test("a cancel ends a run, and cannot be undone by an answer", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await open(home);
  const run = await startWaiting(fairlead, home.folder);
  await fairlead.cancelRun({ run: run.slice(0, 8) });
  expect(await waitForEnd(fairlead, run)).toMatchObject({ outcome: "canceled" });
  await expect(fairlead.answer(run, "merge", allow)).rejects.toMatchObject({ code: "decision-not-open" });
  expect(await fairlead.cancelRun({ run })).toMatchObject({ outcome: "canceled" });
  await expect(fairlead.cancelRun({ run: "run-0" })).rejects.toMatchObject({ code: "session-not-found" });
});

test("a session with the name of a run does not receive the answer to the run, and is reached by its id", async () => {
  await using home = new ServiceTestHome();
  const fairlead = await open(home);
  const run = await startWaiting(fairlead, home.folder);
  const start = { agent: "scripted", workspace: home.folder, name: run, prompt: ask };
  const { session } = await fairlead.start(start);
  await vi.waitFor(async () => expect((await fairlead.session(session)).waitingFor).toHaveLength(1), {
    timeout: 20_000,
  });
  const ofSession = (await fairlead.decisions()).find((one) => one.session === session);
  await expect(fairlead.answer(run, ofSession?.decision ?? "", allow)).rejects.toMatchObject({
    code: "decision-not-open",
  });
  expect((await fairlead.session(run)).session).toBe(session);
  await fairlead.answer(run, "merge", allow);
  expect(await waitForEnd(fairlead, run)).toMatchObject({ outcome: "done" });
  expect((await fairlead.session(session)).waitingFor).toHaveLength(1);
  await fairlead.answer(session, ofSession?.decision ?? "", allow);
});
