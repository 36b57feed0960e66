import type { ApiMessage, ApiQuestion } from "./api.ts";
import { RegisteredScripts } from "./registered-scripts.ts";
import { findScriptSteps, type ScriptStep, type ScriptedFailure } from "./script.ts";

const titleStep: ScriptStep = { text: '{"title":"A scripted session"}' };
const noScriptStep: ScriptStep = { text: "No script was given." };
const scriptEndedStep: ScriptStep = { text: "The script is over." };
const recoveredStep: ScriptStep = { text: "recovered" };

/**
 * Creates a function that selects the scripted answer to a question. It derives the step from the conversation, so that
 * requests, sessions and restarts of an agent do not influence each other. It counts only failures that end after a
 * number of times. A prompt either carries its script or has a registered one.
 */
export function createStepSelector(registeredScripts = new RegisteredScripts()): (question: ApiQuestion) => ScriptStep {
  const failureCounts = new Map<string, number>();

  function resolveFailure(step: ScriptStep, failure: ScriptedFailure, key: string): ScriptStep {
    if (failure.times === undefined) return step;
    const count = failureCounts.get(key) ?? 0;
    if (count < failure.times) {
      failureCounts.set(key, count + 1);
      return step;
    }
    // Reset the count, so that the same prompt fails again in another session.
    failureCounts.delete(key);
    return failure.afterwards ?? recoveredStep;
  }

  return (question) => {
    if (!question.hasTools) return titleStep;
    const position = findScriptPosition(question.conversation, registeredScripts);
    if (!position) return noScriptStep;
    const step = position.steps[position.index];
    if (!step) return scriptEndedStep;
    return step.error ? resolveFailure(step, step.error, JSON.stringify(position)) : step;
  };
}

interface ScriptPosition {
  readonly steps: readonly ScriptStep[];
  readonly index: number;
}

/** Finds the last script. The index of its next step is the number of assistant answers since then. */
function findScriptPosition(
  conversation: readonly ApiMessage[],
  registeredScripts: RegisteredScripts,
): ScriptPosition | undefined {
  let answers = 0;
  for (const message of conversation.toReversed()) {
    if (message.role === "assistant") answers += 1;
    if (message.role !== "user") continue;
    const steps = findScriptSteps(message.text) ?? registeredScripts.find(message.text);
    if (steps) return { steps, index: answers };
  }
  return undefined;
}
