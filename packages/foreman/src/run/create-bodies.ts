import type { WorkflowBodies } from "../workflows/workflows.ts";
import { createJoinWorkflow } from "./join-workflow.ts";
import { createReviewWorkflow } from "./review-workflow.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { createRunWorkflow } from "./run-workflow.ts";
import { createRepairWorkflow, createTaskWorkflow } from "./task-workflow.ts";

/** The workflows that a run consists of, by name. Every engine runs the same ones. */
export function createBodies(dependencies: RunDependencies): WorkflowBodies {
  return {
    run: createRunWorkflow(dependencies),
    task: createTaskWorkflow(dependencies),
    repair: createRepairWorkflow(dependencies),
    join: createJoinWorkflow(dependencies),
    review: createReviewWorkflow(dependencies),
  };
}
