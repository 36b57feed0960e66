import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { StepFailed, type WorkflowBody } from "../workflows/workflows.ts";
import { Gate, newRunId, StepCounter, type OpenBench } from "./workflows-bench.ts";

export function testSteps(open: OpenBench): void {
  test("runs each step once, in order, with a key of the run and the name", async () => {
    await using bench = await open();
    const keys: string[] = [];
    const { workflows } = await bench.open({
      steps: async (context) => {
        for (const name of ["a", "b", "c"]) await context.step(name, async ({ key }) => void keys.push(key) as never);
        return null;
      },
    });
    const run = newRunId();
    await workflows.start("steps", run, null);
    expect(await workflows.result(run)).toEqual({ state: "completed", output: null });
    expect(keys).toEqual([`${run}:a`, `${run}:b`, `${run}:c`]);
  });

  test("repeats after a crash only the step that was running, with the same key", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const gate = new Gate();
    const body: WorkflowBody = async (context) => {
      const a = await context.step("a", counter.count);
      const b = await context.step("b", async (step) => {
        const done = await counter.count(step);
        await gate.pass(step.signal);
        return done;
      });
      return [a, b, await context.step("c", counter.count)];
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await gate.reached;
    await first.kill();
    gate.open();
    const second = await bench.open({ body });
    const result = await second.workflows.result(run);
    expect(result).toEqual({ state: "completed", output: ["did a", "did b", "did c"] });
    expect(Object.fromEntries(counter.counts)).toEqual({ a: 1, b: 2, c: 1 });
  });

  test("gives the body what it will get after a restart: values as JSON", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      odd: async (context) => {
        const value = await context.step("odd", async () => ({ a: undefined, b: new Date(0) }) as never);
        return { keys: Object.keys(value), value, nothing: await context.step("none", async () => undefined as never) };
      },
    });
    const run = newRunId();
    await workflows.start("odd", run, null);
    const value = { b: "1970-01-01T00:00:00.000Z" };
    expect(await workflows.result(run)).toEqual({ state: "completed", output: { keys: ["b"], value, nothing: null } });
  });

  test("throws a step's error into the body, which may continue, and throws it again after a restart", async () => {
    await using bench = await open();
    let attempts = 0;
    const seen: unknown[] = [];
    const body: WorkflowBody = async (context) => {
      try {
        await context.step("fails", async () => {
          attempts += 1;
          throw new Error("no such branch");
        });
      } catch (error) {
        seen.push(error);
      }
      await context.wait("key", null);
      return await context.step("after", async () => "cleaned");
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await expect.poll(() => seen.length).toBe(1);
    await first.kill();
    const second = await bench.open({ body });
    await second.workflows.signal(run, "key");
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output: "cleaned" });
    expect(attempts).toBe(1);
    expect(seen.length).toBeGreaterThanOrEqual(2);
    for (const error of seen) {
      expect(error).toBeInstanceOf(StepFailed);
      expect(error).toMatchObject({ message: "no such branch" });
    }
  });

  test("ends the run with the error of a step that the body does not catch", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      fails: async (context) => await context.step("fails", async () => Promise.reject(new Error("refused"))),
    });
    const run = newRunId();
    await workflows.start("fails", run, null);
    expect(await workflows.result(run)).toEqual({ state: "failed", message: "refused", canceled: false });
  });

  test.each(["unavailable", "timed-out"] as const)("repeats a step after %s", async (code) => {
    await using bench = await open();
    const keys: string[] = [];
    const { workflows } = await bench.open({
      flaky: async (context) =>
        await context.step("flaky", async ({ key }) => {
          keys.push(key);
          if (keys.length < 3) throw new FairleadError(code, "Not now.");
          return "done";
        }),
    });
    const run = newRunId();
    await workflows.start("flaky", run, null);
    for (const count of [1, 2]) {
      await expect.poll(() => keys.length).toBe(count);
      await bench.advance(500);
    }
    expect(await workflows.result(run)).toEqual({ state: "completed", output: "done" });
    expect(keys).toEqual([1, 2, 3].map(() => `${run}:flaky`));
  });

  test("refuses a name that the run has used, and a call before the last one returned", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      twice: async (context) => {
        await context.step("a", async () => 1);
        return await context.step("a", async () => 2);
      },
      both: async (context) => {
        const results = await Promise.allSettled(["a", "b"].map((name) => context.step(name, async () => name)));
        return results.map(({ status }) => status);
      },
    });
    const [twice, both] = [newRunId(), newRunId()];
    await workflows.start("twice", twice, null);
    await workflows.start("both", both, null);
    expect(await workflows.result(twice)).toMatchObject({
      state: "failed",
      message: expect.stringContaining("unique"),
    });
    expect(await workflows.result(both)).toMatchObject({ state: "completed", output: ["fulfilled", "rejected"] });
  });
}
