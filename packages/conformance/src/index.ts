export { compareBehavior, hasNoDrift, eventTypeSequence, type Drift } from "./drift/compare-behavior.ts";
export { observeBehavior } from "./drift/observe-behavior.ts";
export type { AgentBehavior, ScenarioBehavior } from "./drift/agent-behavior.ts";
export {
  judgeEnforcement,
  type EnforcementFinding,
  type EnforcementLevel,
  type EnforcementRecord,
} from "./enforcement/judge-enforcement.ts";
export { judge, type JudgeOptions } from "./judge.ts";
export { findUnexpectedVerdicts, type KnownFailures } from "./known-failures.ts";
export { readRecordings } from "./read-recordings.ts";
export { runReplayChecks, replayChecks, type Recording } from "./replay-checks.ts";
export { replayEvents, parseRecording, replayRecords, toJsonLines, formatRecording } from "./recording.ts";
export { saveRecording } from "./save-recording.ts";
export { ScenarioRun } from "./scenario-run.ts";
export { formatVerdicts } from "./format-verdicts.ts";
export type { Scenario, VerifyClause } from "./scenario.ts";
export { scenarios } from "./scenarios/index.ts";
export { Spending, type SpendingCap } from "./spending.ts";
export type {
  ModelTool,
  BenchAction,
  FailureCase,
  FileChangeAction,
  ToolUse,
  ModelStep,
  OpenTestBench,
  ServedUsage,
  TestBench,
} from "./test-bench.ts";
export { isBlockingVerdict, computeVerdicts, type Finding, type Verdict } from "./verdict.ts";
export { listSessionProcesses } from "./session-processes.ts";
