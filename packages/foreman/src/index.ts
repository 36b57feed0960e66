export { RunLog } from "./log/run-log.ts";
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
