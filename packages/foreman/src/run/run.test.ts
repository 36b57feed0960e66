import { readFileSync } from "node:fs";
import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import { expect, test } from "vitest";

const run = "run-1";
const finding = (what: string, path = "b.txt") => ({ path, what, severity: "error" });

test("one agent builds, another vendor's reviews, a person approves, and the approved tree is pushed", async () => {
  await using bench = await ForemanBench.open();
  const task = brief("Write b.txt.", writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) }));
  await bench.start(run, { tasks: [{ id: "write", brief: task }], acceptance: ["test -f b.txt"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  const [verdict] = await bench.bodies(run, "verdict.given");
  expect(verdict).toMatchObject({ verdict: "approve", agent: "scripted-second", vendor: "Vendor second" });
  expect(bench.remoteGit("rev-parse", `fairlead/${run}^{tree}`)).toBe(verdict?.tree);
  expect(bench.remoteGit("show", `fairlead/${run}:b.txt`)).toBe("two");
  const [request] = await bench.bodies(run, "request.made");
  expect(JSON.parse(readFileSync(request?.address ?? "", "utf8"))).toMatchObject({ branch: `fairlead/${run}` });
  // The person's own repository is as it was.
  expect(bench.person.git("status", "--short")).toBe("");
  expect(bench.person.git("branch", "--format=%(refname:short)")).toBe("main");
  for (const { session } of [
    ...(await bench.bodies(run, "task.started")),
    ...(await bench.bodies(run, "review.started")),
  ])
    expect(await bench.fairlead.session(session)).toMatchObject({ state: "ended" });
});

test("a finding goes back to the builder's own session, and the repaired tree is reviewed again", async () => {
  await using bench = await ForemanBench.open();
  const repair = brief("Wrong.", writeStep({ "b.txt": "right\n", ...reviewFile(submitStep("approve")) }));
  const task = brief("Go.", writeStep({ "b.txt": "wrong\n", ...reviewFile(submitStep("changes", [finding(repair)])) }));
  await bench.start(run, { tasks: [{ id: "write", brief: task }] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  const verdicts = await bench.bodies(run, "verdict.given");
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["changes", "approve"]);
  const [started] = await bench.bodies(run, "task.started");
  expect(await bench.bodies(run, "work.returned")).toMatchObject([{ session: started?.session, reason: "findings" }]);
  expect(bench.remoteGit("show", `fairlead/${run}:b.txt`)).toBe("right");
  expect(bench.remoteGit("rev-parse", `fairlead/${run}^{tree}`)).toBe(verdicts[1]?.tree);
});

test("a failing command is sent back, whatever the agent says, and its work is not reviewed before it passes", async () => {
  await using bench = await ForemanBench.open();
  // The command prints the script of the next turn.
  const next = brief("x", writeStep({ "b.txt": "ok\n", ...reviewFile(submitStep("approve")) }));
  const task = brief("Go.", writeStep({ "b.txt": "no\n", "next.txt": next }), { text: "All pass." });
  await bench.start(run, { tasks: [{ id: "write", brief: task }], acceptance: ["cat next.txt; grep -q ok b.txt"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  const types = (await bench.log.read(run)).map(({ body }) => body.type);
  expect(types.filter((type) => type !== "command.started")).toEqual([
    "run.started",
    "task.started",
    "snapshot.made",
    "acceptance.ended",
    "work.returned",
    "snapshot.made",
    "acceptance.ended",
    "task.ended",
    "review.started",
    "verdict.given",
    "decision.requested",
    "decision.resolved",
    "branch.pushed",
    "request.made",
    "run.ended",
  ]);
});
