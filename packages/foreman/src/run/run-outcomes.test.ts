import { existsSync, readdirSync } from "node:fs";
import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import { expect, test } from "vitest";

const run = "run-1";
const finding = (what: string, path = "b.txt") => ({ path, what, severity: "error" });

/** No branch, no request, and no session that still works. */
async function expectNothingPushed(bench: ForemanBench): Promise<void> {
  expect(bench.remoteGit("for-each-ref")).toBe("");
  expect(existsSync(`${bench.remote}.requests`)).toBe(false);
  const page = await bench.fairlead.sessions({});
  expect(page.sessions.filter(({ state }) => state !== "ended")).toEqual([]);
}

const approved = writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) });

test("a builder that changes nothing ends the run as no-op", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", { text: "Nothing to do." }) }] });
  expect(await bench.result(run)).toMatchObject({ outcome: "no-op" });
  await expectNothingPushed(bench);
});

test("a command that never passes exhausts the rounds", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }], acceptance: ["exit 3"], rounds: 0 });
  expect(await bench.result(run)).toMatchObject({ outcome: "exhausted", reason: expect.stringContaining("exit 3") });
  expect(await bench.bodies(run, "review.started")).toEqual([]);
  await expectNothingPushed(bench);
});

test("a command that takes too long does not pass", async () => {
  await using bench = await ForemanBench.open();
  const acceptance = [{ command: "sleep 100", timeout: 300 }];
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }], acceptance, rounds: 0 });
  expect(await bench.result(run)).toMatchObject({ outcome: "exhausted", reason: expect.stringContaining("300 ms") });
});

test("a reviewer that always asks for changes exhausts the rounds", async () => {
  await using bench = await ForemanBench.open();
  const again = (depth: number): object =>
    writeStep({
      "b.txt": `${depth}\n`,
      ...reviewFile(submitStep("changes", [finding(depth === 0 ? "no" : brief("Again.", again(depth - 1)))])),
    });
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", again(2)) }], rounds: 1 });
  expect(await bench.result(run)).toMatchObject({ outcome: "exhausted", reason: expect.stringContaining("1 round") });
  expect(await bench.bodies(run, "verdict.given")).toHaveLength(2);
  await expectNothingPushed(bench);
});

test("a reviewer that only writes prose is asked once more, and then the run is stalled", async () => {
  await using bench = await ForemanBench.open();
  const files = { "b.txt": "two\n", ...reviewFile({ text: "I approve. verdict: approve" }) };
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", writeStep(files)) }] });
  expect(await bench.result(run)).toMatchObject({ outcome: "stalled" });
  const [review] = await bench.bodies(run, "review.started");
  expect(await bench.fairlead.session(review?.session ?? "")).toMatchObject({ turns: 2 });
  await expectNothingPushed(bench);
});

test("changes without a finding are no review", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, {
    tasks: [{ id: "a", brief: brief("Go.", writeStep({ "b.txt": "x", ...reviewFile(submitStep("changes")) })) }],
  });
  expect(await bench.result(run)).toMatchObject({ outcome: "stalled" });
});

test("a person who denies ends the run as blocked", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }] });
  await bench.approve(run, { type: "deny", message: "Not now.", interrupt: false });
  expect(await bench.result(run)).toMatchObject({
    outcome: "blocked",
    reason: expect.stringMatching(/denied it: Not now\.$/),
  });
  await expectNothingPushed(bench);
});

test("a signal without a decision pushes nothing, and the answer after it counts", async () => {
  let offset = 0;
  const clock = {
    now: () => Date.now() + offset,
    sleep: async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      offset += milliseconds;
      await new Promise((resolve) => setTimeout(resolve, 20));
      signal.throwIfAborted();
    },
  };
  await using bench = await ForemanBench.open(undefined, { clock });
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }] });
  await bench.waitFor(run, "decision.requested");
  await bench.workflows.signal(run, "approval");
  await bench.workflows.signal(run, "approval");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(bench.remoteGit("for-each-ref")).toBe("");
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
});

test("a builder whose session a person stops fails the run", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", { hang: true }) }] });
  const { session } = await bench.waitFor(run, "task.started");
  await bench.fairlead.stop(session);
  expect(await bench.result(run)).toMatchObject({ outcome: "failed" });
  expect(await bench.bodies(run, "task.ended")).toMatchObject([{ task: "a", outcome: "failed" }]);
  await expectNothingPushed(bench);
});

test("after an interrupt by a person, the next completed turn counts", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", { hang: true }) }] });
  const { session } = await bench.waitFor(run, "task.started");
  await bench.fairlead.interrupt(session);
  await bench.fairlead.send(session, brief("Do this instead.", approved));
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
});

test.each([
  ["builds", { tasks: [{ id: "a", brief: brief("Go.", { hang: true }) }] }, "task.started"],
  ["tests", { tasks: [{ id: "a", brief: brief("Go.", approved) }], acceptance: ["sleep 100"] }, "command.started"],
  [
    "is reviewed",
    { tasks: [{ id: "a", brief: brief("Go.", writeStep({ "b.txt": "x", ...reviewFile({ hang: true }) })) }] },
    "review.started",
  ],
  ["waits for a person", { tasks: [{ id: "a", brief: brief("Go.", approved) }] }, "decision.requested"],
] as const)("a run that is canceled while it %s leaves nothing behind", async (_, plan, type) => {
  await using bench = await ForemanBench.open();
  await bench.start(run, plan);
  await bench.waitFor(run, type);
  await bench.workflows.cancel(run);
  await bench.workflows.cancel(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "canceled" });
  const last = (await bench.log.read(run)).at(-1)?.body;
  expect(last).toMatchObject({ type: "run.ended", outcome: "canceled" });
  await expectNothingPushed(bench);
});

test("a run whose limit is used is blocked", async () => {
  await using bench = await ForemanBench.open();
  // The scripted agent reports no usage, so a limit of it is refused.
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }], limit: { tokens: 10 } });
  expect(await bench.result(run)).toMatchObject({ outcome: "failed", reason: expect.stringContaining("limit") });
});

test("checkouts of commands and reviewers are removed", async () => {
  await using bench = await ForemanBench.open();
  await bench.start(run, { tasks: [{ id: "a", brief: brief("Go.", approved) }], acceptance: ["true", "true"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  const [task] = await bench.bodies(run, "task.started");
  expect(readdirSync(bench.home.home.copiesFolder)).toEqual([task?.session]);
});
