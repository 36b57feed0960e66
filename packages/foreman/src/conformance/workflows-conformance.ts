import { describe } from "vitest";
import { testCancellation } from "./test-cancellation.ts";
import { testChildren } from "./test-children.ts";
import { testEngines } from "./test-engines.ts";
import { testKillPoints } from "./test-kill-points.ts";
import { testRuns } from "./test-runs.ts";
import { testSteps } from "./test-steps.ts";
import { testWaits } from "./test-waits.ts";
import type { OpenBench } from "./workflows-bench.ts";

/**
 * Registers the tests that every workflow engine must pass. `open` returns an empty bench each time; the suite disposes it.
 * `canShareStorage` says that several engines may be open on one storage, of which each runs its own runs.
 */
export function workflowsConformance(
  name: string,
  open: OpenBench,
  { canShareStorage }: { readonly canShareStorage: boolean },
): void {
  describe(`${name} workflows`, () => {
    testRuns(open);
    testSteps(open);
    testWaits(open);
    testChildren(open);
    testCancellation(open);
    testKillPoints(open);
    if (canShareStorage) testEngines(open);
  });
}
