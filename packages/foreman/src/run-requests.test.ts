import { ForemanBench } from "@fairlead/testing/foreman/foreman-bench.ts";
import { brief } from "@fairlead/testing/foreman/scripts.ts";
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
