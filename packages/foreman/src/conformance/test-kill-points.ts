import { expect, test } from "vitest";
import type { WorkflowBodies, WorkflowContext } from "../workflows/workflows.ts";
import { newRunId, type OpenBench, type TestEngine, type WorkflowsBench } from "./workflows-bench.ts";

/** The number of points in the bodies below at which an engine can be killed. */
const pointCount = 14;

/** Effects outside of the engine, done at most once by key, and the point at which the engine is killed. */
class World {
  readonly effects: string[] = [];
  readonly attempts = new Map<string, number>();
  engine: TestEngine | undefined;
  killing: Promise<void> | undefined;
  #point = 0;
  readonly #killAt: number;

  constructor(killAt: number) {
    this.#killAt = killAt;
  }

  get points(): number {
    return this.#point;
  }

  /** Kills the engine if this is the point. Returns whether it did. */
  point(): boolean {
    this.#point += 1;
    if (this.#point !== this.#killAt) return false;
    this.killing = this.engine?.kill();
    return true;
  }

  /** A step with points before, between effect and result, and, by its caller, after it. */
  async act(context: WorkflowContext, name: string): Promise<string> {
    const result = await context.step(name, async ({ key, signal }) => {
      this.attempts.set(name, (this.attempts.get(name) ?? 0) + 1);
      if (this.point()) await untilAborted(signal);
      if (!this.effects.includes(key)) this.effects.push(key);
      if (this.point()) await untilAborted(signal);
      return `${name} done`;
    });
    // Between two calls. The body continues until its next call, which a dead engine must not perform.
    this.point();
    return result;
  }
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  throw signal.reason;
}

function createBodies(world: World, bench: WorkflowsBench): WorkflowBodies {
  return {
    parent: async (context) => {
      const output: unknown[] = [await world.act(context, "plan")];
      const child = await context.child("child", `${context.run}.c`, null);
      world.point();
      output.push(await context.wait("go", null));
      world.point();
      output.push(await child.result());
      await context.sleep("nap", 1);
      await world.act(context, "push");
      const now = await context.step("now", () => Promise.resolve(bench.now()));
      output.push(await context.wait("never", now - 1));
      return output as never;
    },
    child: async (context) => [await world.act(context, "build"), await world.act(context, "test")],
  };
}

export function testKillPoints(open: OpenBench): void {
  test.each(Array.from({ length: pointCount + 1 }, (_, index) => index))(
    "finishes with the same output and each effect once if it is killed at point %i",
    async (killAt) => {
      await using bench = await open();
      const world = new World(killAt);
      const bodies = createBodies(world, bench);
      const run = newRunId();
      const result = await finish(bench, world, bodies, run);
      const child = { state: "completed", output: ["build done", "test done"] };
      expect(result).toEqual({ state: "completed", output: ["plan done", "signaled", child, "timed-out"] });
      expect(world.effects.toSorted()).toEqual(
        [`${run}.c:build`, `${run}.c:test`, `${run}:plan`, `${run}:push`].toSorted(),
      );
      // No more than two steps can be repeated: one of the parent, one of the child.
      const repeated = [...world.attempts.values()].reduce((sum, count) => sum + count - 1, 0);
      expect(repeated).toBeLessThanOrEqual(killAt === 0 ? 0 : 2);
      if (killAt === 0) expect(world.points).toBe(pointCount);
    },
  );
}

/** Starts, signals and awaits the run. Does so again with another engine when the first is killed. */
async function finish(bench: WorkflowsBench, world: World, bodies: WorkflowBodies, run: string): Promise<unknown> {
  for (;;) {
    const ticking = new AbortController();
    const ticks = tick(bench, ticking.signal);
    try {
      world.engine = await bench.open(bodies);
      const { workflows } = world.engine;
      await workflows.start("parent", run, null);
      await workflows.signal(run, "go");
      return await workflows.result(run);
    } catch (error) {
      if (world.killing === undefined) throw error;
      await world.killing;
      world.killing = undefined;
    } finally {
      ticking.abort();
      await ticks;
    }
  }
}

/** Lets time pass, so that the sleep of the body ends. */
async function tick(bench: WorkflowsBench, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await bench.advance(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
