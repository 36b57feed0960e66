import type { Scenario } from "../scenario.ts";
import type { TestBench } from "../test-bench.ts";
import { commandDescribed, fetchDescribed, readDescribed, searchDescribed } from "./actions.ts";
import {
  continueEndedSession,
  maxTurns,
  messageDuringTurn,
  resumeInNewProcess,
  resumeUnknown,
  steerDuringTurn,
  systemPromptReachesModel,
} from "./conversations.ts";
import {
  approvalAllowed,
  approvalDenied,
  approvalEdited,
  editRefused,
  approvalDeniedWithInterrupt,
  approvalAnsweredByMode,
  questionWithOptions,
} from "./decisions.ts";
import { everyCallAsked, gatedEdit, interruptedGate, someCallsDenied, unansweredCall } from "./gate.ts";
import { forkConversation } from "./forks.ts";
import { badSettings, processKilled, createFailureScenario, probe } from "./failures.ts";
import { offeredToolAfterResume, offeredToolCalled, offeredToolDenied } from "./offers.ts";
import { serverAfterResume, serverToolCalled, serverToolDenied } from "./servers.ts";
import { interruptCommand, interruptDecision, interruptText } from "./interrupts.ts";
import { queueAtInterrupt, queueAtPause, queueAtStop } from "./queues.ts";
import { takeOverAndHandBack } from "./take-over.ts";
import { usageAcrossTurns } from "./usage.ts";
import { agentSessionIdReported, longText, plainTurn, reasoning, streaming } from "./plain-turn.ts";
import {
  commandInAgentSandbox,
  existingFilesChanged,
  fileReported,
  fileWritten,
  parallelTools,
  toolFails,
} from "./tools.ts";

/** The scenarios that need only `TestBench.buildPrompt`. */
export const scenarios: readonly Scenario[] = [
  probe,
  badSettings,
  plainTurn,
  streaming,
  reasoning,
  agentSessionIdReported,
  fileWritten,
  fileReported,
  existingFilesChanged,
  toolFails,
  parallelTools,
  commandDescribed,
  readDescribed,
  searchDescribed,
  fetchDescribed,
  offeredToolCalled,
  offeredToolDenied,
  offeredToolAfterResume,
  serverToolCalled,
  serverToolDenied,
  serverAfterResume,
  approvalAllowed,
  approvalDenied,
  approvalEdited,
  editRefused,
  approvalDeniedWithInterrupt,
  approvalAnsweredByMode,
  questionWithOptions,
  everyCallAsked,
  someCallsDenied,
  gatedEdit,
  unansweredCall,
  interruptedGate,
  interruptText,
  interruptCommand,
  interruptDecision,
  messageDuringTurn,
  queueAtInterrupt,
  queueAtPause,
  queueAtStop,
  steerDuringTurn,
  resumeInNewProcess,
  continueEndedSession,
  resumeUnknown,
  forkConversation,
  takeOverAndHandBack,
  maxTurns,
  systemPromptReachesModel,
  usageAcrossTurns,
  processKilled,
];

/** Lists all scenarios for a test bench: the common ones, those that need more of it, and one per failure case. */
export function scenariosFor(bench: TestBench): readonly Scenario[] {
  return [
    ...scenarios,
    ...(bench.longTexts ? [longText] : []),
    ...(bench.buildSandboxedCommandPrompt ? [commandInAgentSandbox] : []),
    ...bench.failures.map((failure) => createFailureScenario(failure, bench.turnTimeout)),
  ];
}
