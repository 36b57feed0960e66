import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import {
  WorkflowCanceled,
  type WorkflowBodies,
  type WorkflowBody,
  type WorkflowContext,
} from "../workflows/workflows.ts";
import { Gate, newRunId, StepCounter, type OpenBench } from "./workflows-bench.ts";

/** A body that counts what it reaches, and whether `canceledCall` threw. It cleans up in a step, a wait and a sleep. */
function cleansUp(counter: StepCounter, canceledCall: (context: WorkflowContext) => Promise<unknown>): WorkflowBody {
  return async (context) => {
    await context.step("before", counter.count);
    try {
      await canceledCall(context);
    } catch (error) {
      if (!(error instanceof WorkflowCanceled)) throw error;
      await context.step("clean", counter.count);
      await context.sleep("rest", 1);
      await context.wait("never", 1);
      throw error;
    }
    return "not canceled";
  };
}

const canceledResult = { state: "failed", canceled: true, message: "The run was canceled." };

const calls: Readonly<Record<string, (context: WorkflowContext) => Promise<unknown>>> = {
  wait: (context) => context.wait("key", null),
  sleep: (context) => context.sleep("long", 3_600_000),
  result: async (context) => await (await context.child("idle", `${context.run}.c`, null)).result(),
  "step that is repeated": (context) =>
    context.step("down", () => Promise.reject(new FairleadError("unavailable", "Down."))),
};

export function testCancellation(open: OpenBench): void {
  for (const [name, call] of Object.entries(calls)) {
    test(`cancels a ${name}; the calls after it work; a second cancellation does nothing`, async () => {
      await using bench = await open();
      const counter = new StepCounter();
      const { workflows } = await bench.open({ body: cleansUp(counter, call), idle });
      const run = newRunId();
      await workflows.start("body", run, null);
      await expect.poll(() => counter.counts.get("before")).toBe(1);
      await bench.advance(50);
      await workflows.cancel(run);
      await workflows.cancel(run);
      await expect.poll(() => counter.counts.get("clean")).toBe(1);
      await workflows.cancel(run);
      await bench.advance(50);
      expect(await workflows.result(run)).toEqual(canceledResult);
      await workflows.cancel(run);
      expect(await workflows.result(run)).toEqual(canceledResult);
    });

    test(`throws the cancellation of a ${name} again after a restart, and once`, async () => {
      await using bench = await open();
      const counter = new StepCounter();
      const gate = new Gate();
      const holds: WorkflowBody = async (context, input) => {
        try {
          return await cleansUp(counter, call)(context, input);
        } catch (error) {
          await context.step("hold", async ({ signal }) => (await gate.pass(signal)) as never);
          await context.step("last", counter.count);
          throw error;
        }
      };
      const bodies = { body: holds, idle };
      const run = newRunId();
      const first = await bench.open(bodies);
      await first.workflows.start("body", run, null);
      await expect.poll(() => counter.counts.get("before")).toBe(1);
      await bench.advance(50);
      await first.workflows.cancel(run);
      await expect.poll(() => counter.counts.get("clean")).toBe(1);
      await bench.advance(50);
      await gate.reached;
      await first.kill();
      gate.open();
      const second = await bench.open(bodies);
      expect(await second.workflows.result(run)).toEqual(canceledResult);
      expect(Object.fromEntries(counter.counts)).toEqual({ before: 1, clean: 1, last: 1 });
    });
  }

  test("completes the step that is running, then throws", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const gate = new Gate();
    let wasAborted: boolean | undefined;
    const step = (context: WorkflowContext): Promise<unknown> =>
      context.step("long", async ({ signal, key }) => {
        await gate.pass(signal);
        wasAborted = signal.aborted;
        return await counter.count({ key });
      });
    const { workflows } = await bench.open({ body: cleansUp(counter, step) });
    const run = newRunId();
    await workflows.start("body", run, null);
    await gate.reached;
    await workflows.cancel(run);
    await bench.advance(50);
    expect(counter.counts.get("clean")).toBeUndefined();
    gate.open();
    await expect.poll(() => counter.counts.get("clean")).toBe(1);
    await bench.advance(50);
    expect(await workflows.result(run)).toEqual(canceledResult);
    expect(wasAborted).toBe(false);
    expect(Object.fromEntries(counter.counts)).toEqual({ before: 1, long: 1, clean: 1 });
  });

  test("cancels a run whose engine is down", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const gate = new Gate();
    const hold: WorkflowBody = async (context, input) => {
      await context.step("hold", async ({ signal }) => (await gate.pass(signal)) as never);
      return await cleansUp(counter, (context) => context.wait("key", null))(context, input);
    };
    const run = newRunId();
    const first = await bench.open({ body: hold });
    await first.workflows.start("body", run, null);
    await gate.reached;
    await first.workflows.cancel(run);
    await first.kill();
    gate.open();
    const second = await bench.open({ body: hold });
    // The step was running: it is completed, and its call throws, so that the body does not get to `before`.
    expect(await second.workflows.result(run)).toEqual(canceledResult);
    expect(Object.fromEntries(counter.counts)).toEqual({});
  });

  test("cancels the children that have not ended, and theirs, while the parent completes its step", async () => {
    await using bench = await open();
    const gate = new Gate();
    const counter = new StepCounter();
    const bodies: WorkflowBodies = {
      parent: async (context) => {
        await (await context.child("done", `${context.run}.done`, null)).result();
        await context.child("middle", `${context.run}.middle`, null);
        return await context.step("long", async ({ signal }) => (await gate.pass(signal)) as never);
      },
      middle: async (context) => await (await context.child("idle", `${context.run}.idle`, null)).result(),
      done: async () => "done",
      idle: async (context) => {
        await context.step("idle", counter.count);
        return await context.wait("key", null);
      },
    };
    const { workflows } = await bench.open(bodies);
    const run = newRunId();
    await workflows.start("parent", run, null);
    await gate.reached;
    await expect.poll(() => counter.counts.get("idle")).toBe(1);
    await bench.advance(100);
    await workflows.cancel(run);
    expect(await workflows.result(`${run}.middle.idle`)).toEqual(canceledResult);
    expect(await workflows.result(`${run}.middle`)).toEqual(canceledResult);
    gate.open();
    expect(await workflows.result(run)).toEqual(canceledResult);
    expect(await workflows.result(`${run}.done`)).toEqual({ state: "completed", output: "done" });
  });

  test("does not cancel what the body starts after the cancellation", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      body: async (context) => {
        try {
          await context.wait("key", null);
        } catch {
          return await (await context.child("late", `${context.run}.late`, null)).result();
        }
        return null;
      },
      late: async (context) => await context.step("work", async () => "worked"),
    });
    const run = newRunId();
    await workflows.start("body", run, null);
    await workflows.cancel(run);
    const output = { state: "completed", output: "worked" };
    expect(await workflows.result(run)).toEqual({ state: "completed", output });
  });
}

const idle: WorkflowBody = async (context) => await context.wait("key", null);
