import { expect, test } from "vitest";
import type { WorkflowBody } from "../workflows/workflows.ts";
import { Gate, newRunId, StepCounter, type OpenBench, type WorkflowsBench } from "./workflows-bench.ts";

export function testEngines(open: OpenBench): void {
  test("leaves a run alone whose engine is alive, and signals, cancels and awaits it", async () => {
    await using bench = await open();
    const byFirst = new StepCounter();
    const bySecond = new StepCounter();
    const gates = [new Gate(), new Gate()];
    const body = (counter: StepCounter): WorkflowBody => {
      return async (context, input) => {
        await context.step("work", async (step) => {
          await gates[input as number]?.pass(step.signal);
          return await counter.count(step);
        });
        return await context.wait("key", null);
      };
    };
    const first = await bench.open({ body: body(byFirst) });
    const [signaled, canceled] = [newRunId(), newRunId()];
    for (const [index, run] of [signaled, canceled].entries()) await first.workflows.start("body", run, index);
    await Promise.all(gates.map(({ reached }) => reached));
    const second = await bench.open({ body: body(bySecond) });
    await second.workflows.start("body", signaled, null);
    const results = [signaled, canceled].map((run) => second.workflows.result(run));
    await second.workflows.signal(signaled, "key");
    await second.workflows.cancel(canceled);
    for (const gate of gates) gate.open();
    expect(await Promise.all(results)).toEqual([
      { state: "completed", output: "signaled" },
      { state: "failed", message: "The run was canceled.", canceled: true },
    ]);
    expect(byFirst.counts.get("work")).toBe(2);
    expect(bySecond.counts.size).toBe(0);
  });

  test("starts a run once if two engines start it", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const bodies = { body: async (context) => await context.step("work", counter.count) } satisfies Record<
      string,
      WorkflowBody
    >;
    const engines = [await bench.open(bodies), await bench.open(bodies)];
    const runs = Array.from({ length: 10 }, newRunId);
    for (const run of runs) await Promise.all(engines.map(({ workflows }) => workflows.start("body", run, null)));
    for (const { workflows } of engines) {
      for (const run of runs) expect(await workflows.result(run)).toMatchObject({ state: "completed" });
    }
    expect(counter.counts.get("work")).toBe(runs.length);
  });

  test.each(["result", "signal", "cancel", "start"] as const)(
    "continues a run whose engine died after this one was opened, at the next %s",
    async (call) => {
      await using bench = await open();
      const counter = new StepCounter();
      const gate = new Gate();
      const body: WorkflowBody = async (context) => {
        try {
          return await context.step("work", async ({ signal }) => (await gate.pass(signal)) as never);
        } finally {
          await context.step("end", counter.count);
        }
      };
      const run = newRunId();
      const first = await bench.open({ body });
      const second = await bench.open({ body });
      await first.workflows.start("body", run, null);
      await gate.reached;
      const waiting = call === "result" ? second.workflows.result(run) : undefined;
      await first.kill();
      gate.open();
      if (call === "result") await bench.advance(1500);
      if (call === "signal") await second.workflows.signal(run, "key");
      if (call === "cancel") await second.workflows.cancel(run);
      if (call === "start") await second.workflows.start("body", run, null);
      await expect.poll(() => counter.counts.get("end")).toBe(1);
      await waiting;
    },
  );

  test("lets an engine without the body signal a run, which the next engine continues", async () => {
    await using bench = await open();
    const body: WorkflowBody = async (context) => {
      const now = await context.step("now", () => Promise.resolve(bench.now()));
      return [await context.wait("in time", now + 1000), await context.wait("late", now + 1000)];
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await bench.advance(10);
    await first.kill();
    const other = await bench.open({});
    await other.workflows.signal(run, "in time");
    await bench.advance(2000);
    await other.workflows.signal(run, "late");
    const last = await bench.open({ body });
    expect(await last.workflows.result(run)).toEqual({ state: "completed", output: ["signaled", "timed-out"] });
  });

  test("stops an engine inside a step when another one has claimed the run, and lets it write nothing more", async () => {
    await using bench = await open();
    const { engine, run, gate, abortedWith, counter, passed, bodies } = await holdInStep(bench);
    engine.declareDead?.();
    const second = await bench.open(bodies);
    expect(await abortedWith).toMatchObject({ code: "fenced" });
    const result = await second.workflows.result(run);
    expect(result).toEqual({ state: "completed", output: ["did hold", "did after"] });
    // The step of the first engine returns now. Its body must not continue.
    gate.open();
    await bench.advance(100);
    expect(await engine.workflows.result(run)).toEqual(result);
    expect(Object.fromEntries(counter.counts)).toEqual({ hold: 2, after: 1 });
    expect(passed).toEqual([run]);
  });

  test("lets only one of several engines continue an abandoned run", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const body: WorkflowBody = async (context) => {
      await context.wait("key", null);
      return await context.step("work", counter.count);
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await first.kill();
    const engines = await Promise.all([1, 2, 3].map(() => bench.open({ body })));
    await engines[0]?.workflows.signal(run, "key");
    for (const { workflows } of engines) expect(await workflows.result(run)).toMatchObject({ output: "did work" });
    expect(counter.counts.get("work")).toBe(1);
  });
}

/** Opens an engine whose run is in a step that returns only when the gate opens, whatever its signal says. */
async function holdInStep(bench: WorkflowsBench) {
  const gate = new Gate();
  const counter = new StepCounter();
  const { promise: abortedWith, resolve } = Promise.withResolvers<unknown>();
  let isFirst = true;
  const passed: string[] = [];
  const body: WorkflowBody = async (context) => {
    const held = await context.step("hold", async (step) => {
      const value = await counter.count(step);
      step.signal.addEventListener("abort", () => resolve(step.signal.reason));
      if (isFirst) {
        isFirst = false;
        await gate.pass();
      }
      return value;
    });
    passed.push(context.run);
    return [held, await context.step("after", counter.count)];
  };
  const bodies = { body };
  const engine = await bench.open(bodies);
  const run = newRunId();
  await engine.workflows.start("body", run, null);
  await gate.reached;
  return { engine, run, gate, abortedWith, counter, passed, bodies };
}
