import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief, reviewFile, submitStep, writeStep } from "@fairlead/testing/foreman/scripts.ts";
import { expect, test, vi } from "vitest";

vi.setConfig({ testTimeout: 120_000 });

const run = "run-1";

test("a run shows that its builder asks, until a person has answered", async () => {
  await using bench = await ForemanBench.open();
  const { fairlead } = bench;
  const task = brief("Write b.txt.", { tools: [{ name: "run", input: { command: "true" } }] });
  await bench.start(run, { tasks: [{ id: "write", brief: task }], builder: { agent: "scripted" } });
  const asking = await vi.waitFor(
    async () => {
      const view = await fairlead.run(run);
      expect(view.parts).toMatchObject([{ state: "asks you" }]);
      return view;
    },
    { timeout: 60_000 },
  );
  expect(asking.reason).toBe("run-1.write asks for approval. Answer with: fairlead approve run-1.write");
  expect((await fairlead.runs()).runs).toMatchObject([{ parts: [{ state: "asks you" }] }]);
  const [decision] = await fairlead.decisions();
  await fairlead.answer("run-1.write", decision?.decision ?? "", { type: "allow" });
  expect(await bench.result(run)).toMatchObject({ outcome: "no-op" });
  expect((await fairlead.run(run)).parts).not.toMatchObject([{ state: "asks you" }]);
});

test("the diff of a run is that of the tree that a person approves, before and after the answer", async () => {
  await using bench = await ForemanBench.open();
  const { fairlead } = bench;
  const task = brief("Write b.txt.", writeStep({ "b.txt": "two\n", ...reviewFile(submitStep("approve")) }));
  await bench.start(run, { tasks: [{ id: "write", brief: task }] });
  await bench.waitFor(run, "decision.requested");
  const { base, decision } = await fairlead.run(run);
  expect(decision?.input).toMatchObject({ files: ["b.txt", "zz-review.txt"] });
  const [listed] = await fairlead.decisions();
  expect(listed).toEqual(decision);
  const diff = await fairlead.diff(run);
  expect(diff).toMatchObject({
    base,
    truncated: false,
    patch: expect.stringContaining("+++ b/b.txt\n@@ -0,0 +1 @@\n+two\n"),
  });
  await expect(fairlead.diff(run, { turn: 1 })).rejects.toMatchObject({ code: "invalid-request" });
  await expect(fairlead.diff(run, { since: "commit" })).rejects.toMatchObject({ code: "invalid-request" });
  await fairlead.answer(run, decision?.decision ?? "", { type: "allow", digest: decision?.digest });
  await bench.result(run);
  expect(await fairlead.diff(run)).toEqual(diff);
  expect(bench.remoteGit("diff-tree", "-r", "-p", base, `fairlead/${run}`)).toBe(diff.patch.trim());
});

test("the diff of a long run is cut at a line, and says so", async () => {
  await using bench = await ForemanBench.open();
  const command = "seq 1 400000 > numbers.txt";
  const task = brief("Go.", { tools: [{ name: "run", input: { command } }] });
  await bench.start(run, { tasks: [{ id: "write", brief: task }], acceptance: ["false"], rounds: 0 });
  await bench.result(run);
  const { patch, truncated } = await bench.fairlead.diff(run);
  expect(truncated).toBe(true);
  expect(patch).toMatch(/\n\+\d+\n$/);
  expect(patch).not.toContain("left out");
});
