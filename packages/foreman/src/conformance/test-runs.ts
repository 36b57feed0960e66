import { expect, test } from "vitest";
import { newRunId, StepCounter, type OpenBench } from "./workflows-bench.ts";

export function testRuns(open: OpenBench): void {
  test("returns the output, also to a second caller and after a restart", async () => {
    await using bench = await open();
    const bodies = { echo: async (_: unknown, input: unknown) => ({ got: input }) as never };
    const run = newRunId();
    const first = await bench.open(bodies);
    await first.workflows.start("echo", run, { a: [1, null, "x"] });
    const expected = { state: "completed", output: { got: { a: [1, null, "x"] } } };
    expect(await first.workflows.result(run)).toEqual(expected);
    expect(await first.workflows.result(run)).toEqual(expected);
    await first.kill();
    const second = await bench.open(bodies);
    expect(await second.workflows.result(run)).toEqual(expected);
  });

  test("starts a run once", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const { workflows } = await bench.open({
      once: async (context, input) => [await context.step("a", counter.count), input],
    });
    const run = newRunId();
    await Promise.all([1, 2, 3].map((input) => workflows.start("once", run, input)));
    const result = await workflows.result(run);
    await workflows.start("once", run, 4);
    expect(await workflows.result(run)).toEqual(result);
    expect(result).toMatchObject({ state: "completed" });
    expect([...counter.counts]).toEqual([["a", 1]]);
  });

  test("stores the error of a body", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({
      broken: async () => {
        throw new Error("no plan");
      },
    });
    const run = newRunId();
    await workflows.start("broken", run, null);
    expect(await workflows.result(run)).toEqual({ state: "failed", message: "no plan", canceled: false });
  });

  test("refuses unknown runs, unknown workflows and ids with other characters", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({ none: async () => null });
    const notFound = { code: "session-not-found" };
    await expect(workflows.result(newRunId())).rejects.toMatchObject(notFound);
    await expect(workflows.signal(newRunId(), "key")).rejects.toMatchObject(notFound);
    await expect(workflows.cancel(newRunId())).rejects.toMatchObject(notFound);
    const invalid = { code: "invalid-request" };
    await expect(workflows.start("other", newRunId(), null)).rejects.toMatchObject(invalid);
    await expect(workflows.start("toString", newRunId(), null)).rejects.toMatchObject(invalid);
    for (const run of ["", "a b", "a/b", "ä", "x".repeat(121)]) {
      await expect(workflows.start("none", run, null)).rejects.toMatchObject(invalid);
    }
  });

  test("stops waiting for a result when the caller's signal aborts, and does not stop the run", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({ waits: async (context) => await context.wait("key", null) });
    const run = newRunId();
    await workflows.start("waits", run, null);
    await expect(workflows.result(run, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    const controller = new AbortController();
    const waiting = workflows.result(run, controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await workflows.signal(run, "key");
    expect(await workflows.result(run)).toEqual({ state: "completed", output: "signaled" });
  });

  test("runs many at the same time", async () => {
    await using bench = await open();
    const counter = new StepCounter();
    const { workflows } = await bench.open({
      waits: async (context) => [await context.step(context.run, counter.count), await context.wait("key", null)],
    });
    const runs = Array.from({ length: 20 }, newRunId);
    await Promise.all(runs.map((run) => workflows.start("waits", run, null)));
    await Promise.all(runs.map((run) => workflows.signal(run, "key")));
    const results = await Promise.all(runs.map((run) => workflows.result(run)));
    expect(results).toEqual(runs.map((run) => ({ state: "completed", output: [`did ${run}`, "signaled"] })));
    expect([...counter.counts.values()]).toEqual(runs.map(() => 1));
  });
}
