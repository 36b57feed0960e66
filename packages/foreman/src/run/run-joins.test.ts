import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import { expect, test } from "vitest";

const run = "run-1";

test("independent tasks are merged, and a dependent one builds on the work of others", async () => {
  await using bench = await ForemanBench.open();
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "left.txt": "l\n" })) },
    { id: "right", brief: brief("Right.", writeStep({ "right.txt": "r\n" })) },
    {
      id: "both",
      after: ["left", "right"],
      brief: brief(
        "Both.",
        { tools: [{ name: "run", input: { command: "cat left.txt right.txt > both.txt" } }] },
        writeStep(reviewFile(submitStep("approve"))),
      ),
    },
    { id: "other", brief: brief("Other.", writeStep({ "other.txt": "o\n" })) },
  ];
  await bench.start(run, { tasks });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(bench.remoteGit("show", `fairlead/${run}:both.txt`)).toBe("l\nr");
  expect(bench.remoteGit("show", `fairlead/${run}:other.txt`)).toBe("o");
});

test("a conflict goes to a third session, and the clones of both authors are untouched", async () => {
  await using bench = await ForemanBench.open();
  // The resolver finds its script in the patch of the right side, which comes last in its brief.
  const resolve = brief(
    "x",
    writeStep({ "a.txt": "left and right\n", "zz-right.txt": "resolved\n", ...reviewFile(submitStep("approve")) }),
  );
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "a.txt": "left\n" })) },
    { id: "right", brief: brief("Right.", writeStep({ "a.txt": "right\n", "zz-right.txt": `${resolve}\n` })) },
  ];
  await bench.start(run, { tasks, acceptance: ["! grep -q '<<<<' a.txt"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(bench.remoteGit("show", `fairlead/${run}:a.txt`)).toBe("left and right");
  const authors = await bench.bodies(run, "task.started");
  const [joiner] = await bench.bodies(run, "join.started");
  expect(authors.map(({ session }) => session)).not.toContain(joiner?.session);
  for (const { session, task } of authors) {
    const folder = join(bench.home.home.copyFolder(session), "project");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe(`${task}\n`);
  }
});

test("a finding about joined work goes to the task that changed the file, and the work is joined again", async () => {
  await using bench = await ForemanBench.open();
  const repair = brief("Wrong.", writeStep({ "right.txt": "repaired\n", ...reviewFile(submitStep("approve")) }));
  const finding = { path: "right.txt", what: repair, severity: "error" };
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "left.txt": "l\n" })) },
    {
      id: "right",
      brief: brief("Right.", writeStep({ "right.txt": "r\n", ...reviewFile(submitStep("changes", [finding])) })),
    },
  ];
  await bench.start(run, { tasks });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(await bench.bodies(run, "work.returned")).toMatchObject([{ task: "right" }]);
  expect(bench.remoteGit("show", `fairlead/${run}:right.txt`)).toBe("repaired");
  expect(bench.remoteGit("show", `fairlead/${run}:left.txt`)).toBe("l");
});

test("work that passes alone and not together goes to a third session", async () => {
  await using bench = await ForemanBench.open();
  const resolve = brief("x", writeStep({ "right.txt": "", ...reviewFile(submitStep("approve")) }));
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "left.txt": "1\n" })) },
    { id: "right", brief: brief("Right.", writeStep({ "right.txt": "2\n", "yy.txt": `${resolve}\n` })) },
  ];
  await bench.start(run, { tasks, acceptance: ["! { test -s left.txt && test -s right.txt; }"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  expect(await bench.bodies(run, "join.started")).toHaveLength(1);
});

test("a task whose predecessor fails does not start", async () => {
  await using bench = await ForemanBench.open();
  const tasks = [
    { id: "first", brief: brief("Go.", { error: { status: 400 } }) },
    { id: "second", after: ["first"], brief: brief("Go.", writeStep({ "b.txt": "x" })) },
  ];
  await bench.start(run, { tasks });
  expect(await bench.result(run)).toMatchObject({ outcome: "failed" });
  expect(await bench.bodies(run, "task.started")).toHaveLength(1);
});

test("after a resolved conflict, work that merges without one is tested, and a finding does not lose it", async () => {
  await using bench = await ForemanBench.open();
  const resolve = brief("x", writeStep({ "a.txt": "left and right\n", "yy.txt": "resolved\n" }));
  const repair = brief("x", writeStep({ "third.txt": "repaired\n", ...reviewFile(submitStep("approve")) }));
  const finding = { path: "third.txt", what: repair, severity: "error" };
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "a.txt": "left\n" })) },
    { id: "right", brief: brief("Right.", writeStep({ "a.txt": "right\n", "yy.txt": `${resolve}\n` })) },
    {
      id: "third",
      brief: brief("Third.", writeStep({ "third.txt": "three\n", ...reviewFile(submitStep("changes", [finding])) })),
    },
  ];
  await bench.start(run, { tasks, acceptance: ["true"] });
  await bench.approve(run);
  expect(await bench.result(run)).toMatchObject({ outcome: "done" });
  const accepted = (await bench.bodies(run, "acceptance.ended")).map(({ tree }) => tree);
  for (const { tree } of await bench.bodies(run, "verdict.given")) expect(accepted).toContain(tree);
  expect(bench.remoteGit("show", `fairlead/${run}:third.txt`)).toBe("repaired");
  expect(bench.remoteGit("show", `fairlead/${run}:a.txt`)).toBe("left and right");
});

test("a conflict whose markers stay is not resolved", async () => {
  await using bench = await ForemanBench.open();
  const resolve = brief("x", { text: "Done." });
  const tasks = [
    { id: "left", brief: brief("Left.", writeStep({ "a.txt": "left\n" })) },
    { id: "right", brief: brief("Right.", writeStep({ "a.txt": "right\n", "yy.txt": `${resolve}\n` })) },
  ];
  await bench.start(run, { tasks });
  expect(await bench.result(run)).toMatchObject({ outcome: "stalled", reason: expect.stringContaining("a.txt") });
});
