import { expect, test } from "vitest";
import type { WorkflowBody } from "../workflows/workflows.ts";
import { Gate, newRunId, readTime, type OpenBench, type WorkflowsBench } from "./workflows-bench.ts";

export function testWaits(open: OpenBench): void {
  test("wakes for a signal before and after the wait, for each key, and for the same key again", async () => {
    await using bench = await open();
    const gate = new Gate();
    const { workflows } = await bench.open({
      waits: async (context) => {
        await context.step("first", async ({ signal }) => (await gate.pass(signal)) as never);
        const early = await context.wait("early", null);
        await context.step("reached", async () => null);
        return [early, await context.wait("late", null), await context.wait("early", null)];
      },
    });
    const run = newRunId();
    await workflows.start("waits", run, null);
    await gate.reached;
    await workflows.signal(run, "early");
    await workflows.signal(run, "early");
    gate.open();
    await workflows.signal(run, "late");
    const result = await workflows.result(run);
    expect(result).toEqual({ state: "completed", output: ["signaled", "signaled", "signaled"] });
    await workflows.signal(run, "too late");
  });

  test("keeps a signal over a restart, and takes one that comes after it", async () => {
    await using bench = await open();
    const gate = new Gate();
    const body: WorkflowBody = async (context) => {
      await context.step("first", async ({ signal }) => (await gate.pass(signal)) as never);
      return [await context.wait("before", null), await context.wait("after", null)];
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await gate.reached;
    await first.workflows.signal(run, "before");
    await first.kill();
    gate.open();
    const second = await bench.open({ body });
    await second.workflows.signal(run, "after");
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output: ["signaled", "signaled"] });
  });

  test("times out at the deadline, which may be past", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({ waits: waitUntil(bench, 1000) });
    const run = newRunId();
    await workflows.start("waits", run, null);
    await bench.advance(400);
    await bench.advance(2000);
    expect(await workflows.result(run)).toEqual({ state: "completed", output: ["timed-out", "timed-out"] });
  });

  test("is signaled before the deadline", async () => {
    await using bench = await open();
    const { workflows } = await bench.open({ waits: waitUntil(bench, 60_000) });
    const run = newRunId();
    await workflows.start("waits", run, null);
    await workflows.signal(run, "key");
    expect(await workflows.result(run)).toEqual({ state: "completed", output: ["signaled", "timed-out"] });
  });

  test("times out if the deadline passed while no engine ran", async () => {
    await using bench = await open();
    const bodies = { waits: waitUntil(bench, 2000) };
    const run = newRunId();
    const first = await bench.open(bodies);
    await first.workflows.start("waits", run, null);
    await bench.advance(100);
    await first.kill();
    await bench.advance(4000);
    const second = await bench.open(bodies);
    await second.workflows.signal(run, "key");
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output: ["timed-out", "timed-out"] });
  });

  test("is signaled if the signal came before the deadline, and the engine ran again after it", async () => {
    await using bench = await open();
    const gate = new Gate();
    const body: WorkflowBody = async (context) => {
      const now = await readTime(context, bench);
      await context.step("first", async ({ signal }) => (await gate.pass(signal)) as never);
      return await context.wait("key", now + 1500);
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await gate.reached;
    await first.workflows.signal(run, "key");
    await first.kill();
    gate.open();
    await bench.advance(2000);
    const second = await bench.open({ body });
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output: "signaled" });
  });

  test("sleeps over a restart, and not longer", async () => {
    await using bench = await open();
    const times: number[] = [];
    const body: WorkflowBody = async (context) => {
      await context.step("before", async () => void times.push(bench.now()) as never);
      await context.sleep("nap", 3000);
      await context.step("after", async () => void times.push(bench.now()) as never);
      return null;
    };
    const run = newRunId();
    const first = await bench.open({ body });
    await first.workflows.start("body", run, null);
    await expect.poll(() => times.length).toBe(1);
    await bench.advance(500);
    await first.kill();
    await bench.advance(1000);
    const second = await bench.open({ body });
    await bench.advance(2500);
    expect(await second.workflows.result(run)).toEqual({ state: "completed", output: null });
    const [before = 0, after = 0] = times;
    expect(after - before).toBeGreaterThanOrEqual(2900);
    expect(after - before).toBeLessThan(4400);
  });
}

/** Waits until some time after the start, then until a time that is past. */
function waitUntil(bench: WorkflowsBench, milliseconds: number): WorkflowBody {
  return async (context) => {
    const start = await readTime(context, bench);
    return [await context.wait("key", start + milliseconds), await context.wait("other", start - 1)];
  };
}
