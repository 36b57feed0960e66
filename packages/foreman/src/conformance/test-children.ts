import { expect, test } from "vitest";
import type { ChildRun, WorkflowBodies } from "../workflows/workflows.ts";
import { Gate, newRunId, StepCounter, type OpenBench } from "./workflows-bench.ts";

export function testChildren(open: OpenBench): void {
  test("runs children at the same time and returns their results", async () => {
    await using bench = await open();
    const gates = [new Gate(), new Gate(), new Gate()];
    const { workflows } = await bench.open({
      parent: async (context) => {
        const children: ChildRun[] = [];
        for (const index of gates.keys()) children.push(await context.child("child", `${context.run}.${index}`, index));
        const results = [];
        for (const child of children) results.push(await child.result());
        return results;
      },
      child: async (context, input) => {
        const index = input as number;
        await context.step("meet", async ({ signal }) => (await gates[index]?.pass(signal)) as never);
        if (index === 1) throw new Error("one is wrong");
        return index;
      },
    });
    const run = newRunId();
    await workflows.start("parent", run, null);
    // All are in their step before one may leave it.
    await Promise.all(gates.map(({ reached }) => reached));
    for (const gate of gates) gate.open();
    const failed = { state: "failed", message: "one is wrong", canceled: false };
    const completed = (output: number): object => ({ state: "completed", output });
    expect(await workflows.result(run)).toEqual({
      state: "completed",
      output: [completed(0), failed, completed(2)],
    });
    expect(await workflows.result(`${run}.1`)).toEqual(failed);
  });

  test("lets two runs, and a caller, await the same child, which runs once", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const gate = new Gate();
    const shared = newRunId();
    const { workflows } = await bench.open({
      parent: async (context) => {
        const child = await context.child("child", shared, null);
        return [await child.result(), await child.result()] as never;
      },
      child: async (context) => {
        await context.step("hold", async ({ signal }) => (await gate.pass(signal)) as never);
        return await context.step("work", counter.count);
      },
    });
    const runs = [newRunId(), newRunId()];
    for (const run of runs) await workflows.start("parent", run, null);
    await gate.reached;
    gate.open();
    const result = { state: "completed", output: "did work" };
    for (const run of runs) {
      expect(await workflows.result(run)).toEqual({ state: "completed", output: [result, result] });
    }
    expect(await workflows.result(shared)).toEqual(result);
    expect([...counter.counts]).toEqual([["work", 1]]);
  });

  test("continues parent and child after a restart", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const bodies: WorkflowBodies = {
      parent: async (context) => {
        const child = await context.child("child", `${context.run}.c`, "in");
        await context.step("started", counter.count);
        return await child.result();
      },
      child: async (context, input) => [
        input,
        await context.step("work", counter.count),
        await context.wait("go", null),
      ],
    };
    const run = newRunId();
    const first = await bench.open(bodies);
    await first.workflows.start("parent", run, null);
    await expect.poll(() => counter.counts.get("work")).toBe(1);
    await expect.poll(() => counter.counts.get("started")).toBe(1);
    await bench.advance(100);
    await first.kill();
    const second = await bench.open(bodies);
    await second.workflows.signal(`${run}.c`, "go");
    const output = { state: "completed", output: ["in", "did work", "signaled"] };
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output });
  });

  test("throws into the body if there is no such workflow", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      parent: async (context) => {
        await context.child("nothing", `${context.run}.c`, null);
        return null;
      },
    });
    const run = newRunId();
    await workflows.start("parent", run, null);
    expect(await workflows.result(run)).toMatchObject({ state: "failed", message: "There is no workflow nothing." });
  });
}
