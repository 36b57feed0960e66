export { Foreman, type ForemanOptions, type ForemanParts, type RunCaller } from "./foreman.ts";
export { RunLog } from "./log/run-log.ts";
export { toRunView } from "./log/to-run-view.ts";
export { assignRoles, builderRoleOf, type AssignedRoles } from "./plan/assign-roles.ts";
export { checkPlan } from "./plan/check-plan.ts";
export { findWorkspaceProblems } from "./plan/find-workspace-problems.ts";
export { formatPlan } from "./plan/format-plan.ts";
export { parsePlan } from "./plan/parse-plan.ts";
export { findSubmittedPlan, submitPlan, submitPlanName } from "./plan/submit-plan.ts";
export { approvalDecision, approvalSignal } from "./run/request-approval.ts";
export { createBodies } from "./run/create-bodies.ts";
export { describeSandboxProblem, prepareRun } from "./run/prepare-run.ts";
export { repositoryOf, type RunDependencies } from "./run/run-dependencies.ts";
export { submitReview } from "./run/submit-review.ts";
export {
  StepFailed,
  WorkflowCanceled,
  type ChildRun,
  type Json,
  type StepContext,
  type WorkflowBodies,
  type WorkflowBody,
  type WorkflowContext,
  type WorkflowResult,
  type Workflows,
} from "./workflows/workflows.ts";
export { openLocalWorkflows, type LocalWorkflowsOptions } from "./local/open-local-workflows.ts";
export type { WorkflowClock } from "./workflows/workflow-clock.ts";
