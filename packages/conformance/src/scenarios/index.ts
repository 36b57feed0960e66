import type { Scenario } from "../scenario.ts";
import type { Stage } from "../stage.ts";
import {
  continued,
  maxTurns,
  messageDuringTurn,
  resumed,
  resumeUnknown,
  steered,
  systemPrompt,
} from "./conversations.ts";
import { approvalAllowed, approvalDenied, approvalEdited, approvalStops, fullAuto, question } from "./decisions.ts";
import { forked } from "./forks.ts";
import { badSettings, death, failing, probe } from "./failures.ts";
import { interruptCommand, interruptDecision, interruptText } from "./interrupts.ts";
import { takenOver } from "./lead.ts";
import { meters } from "./meters.ts";
import { identity, plainTurn, reasoning, streaming } from "./plain-turn.ts";
import { fileReported, fileWritten, parallelTools, toolFails } from "./tools.ts";

/** Every situation that needs nothing from the stage but its script. */
export const scenarios: readonly Scenario[] = [
  probe,
  badSettings,
  plainTurn,
  streaming,
  reasoning,
  identity,
  fileWritten,
  fileReported,
  toolFails,
  parallelTools,
  approvalAllowed,
  approvalDenied,
  approvalEdited,
  approvalStops,
  fullAuto,
  question,
  interruptText,
  interruptCommand,
  interruptDecision,
  messageDuringTurn,
  steered,
  resumed,
  continued,
  resumeUnknown,
  forked,
  takenOver,
  maxTurns,
  systemPrompt,
  meters,
  death,
];

/** All of them, with the ways in which this stage can make its agent fail. */
export function scenariosFor(stage: Stage): readonly Scenario[] {
  return [...scenarios, ...stage.failures.map((failure) => failing(failure, stage.patience))];
}
