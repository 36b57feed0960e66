import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { workflowsConformance } from "../conformance/workflows-conformance.ts";
import type { TestEngine, WorkflowsBench } from "../conformance/workflows-bench.ts";
import type { WorkflowClock } from "../workflows/workflow-clock.ts";
import type { WorkflowBodies } from "../workflows/workflows.ts";
import { openLocalWorkflows } from "./open-local-workflows.ts";

workflowsConformance("local", () => Promise.resolve(new LocalBench()), { canShareStorage: true });

/** Engines of one file, in this process, with a clock that only `advance` moves. */
class LocalBench implements WorkflowsBench {
  readonly #folder = mkdtempSync(join(tmpdir(), "fairlead-workflows-"));
  readonly #clock = new ManualClock();
  readonly #alive = new Set<string>();
  readonly #engines: TestEngine[] = [];

  async open(bodies: WorkflowBodies): Promise<TestEngine> {
    const owner = `engine ${this.#engines.length}`;
    this.#alive.add(owner);
    const workflows = await openLocalWorkflows({
      file: join(this.#folder, "workflows.db"),
      bodies,
      owner,
      isOwnerAlive: (other) => this.#alive.has(other),
      clock: toWorkflowClock(this.#clock),
    });
    const declareDead = (): void => void this.#alive.delete(owner);
    const kill = async (): Promise<void> => {
      declareDead();
      await workflows[Symbol.asyncDispose]();
    };
    const engine = { workflows, kill, declareDead };
    this.#engines.push(engine);
    return engine;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Lets the bodies run until they wait for the clock, moves it, and lets them run again. */
  async advance(milliseconds: number): Promise<void> {
    await settle();
    this.#clock.advance(milliseconds);
    await settle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of this.#engines) await engine.kill();
    rmSync(this.#folder, { recursive: true });
  }
}

/** Waits longer than a few commits take. Tests that need a fact wait for that; this only makes it likely. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

function toWorkflowClock(clock: ManualClock): WorkflowClock {
  return {
    now: () => clock.now(),
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const timer = clock.after(milliseconds, resolve);
        const finish = (): void => {
          timer[Symbol.dispose]();
          resolve();
        };
        if (signal.aborted) finish();
        signal.addEventListener("abort", finish, { once: true });
      }),
  };
}
