import type { Message, Question } from "./api.ts";
import { findScript } from "./script.ts";
import type { Failure, Step } from "./step.ts";

const title: Step = { text: '{"title":"A scripted session"}' };
const unscripted: Step = { text: "No script was given." };
const over: Step = { text: "The script is over." };
const recovered: Step = { text: "recovered" };

/**
 * Tells the lab what to answer. The conversation itself says which step is due, so that nothing needs to be remembered
 * between requests, sessions or restarts; only a failure that passes has to be counted.
 */
export function openPrompter(): (question: Question) => Step {
  const failed = new Map<string, number>();

  function outcome(step: Step, failure: Failure, place: string): Step {
    if (failure.times === undefined) return step;
    const count = failed.get(place) ?? 0;
    if (count < failure.times) {
      failed.set(place, count + 1);
      return step;
    }
    // Forgotten, so that the same prompt fails again in another session.
    failed.delete(place);
    return failure.afterwards ?? recovered;
  }

  return (question) => {
    if (!question.hasTools) return title;
    const cue = findCue(question.conversation);
    if (!cue) return unscripted;
    const step = cue.steps[cue.index];
    if (!step) return over;
    return step.error ? outcome(step, step.error, JSON.stringify(cue)) : step;
  };
}

interface Cue {
  readonly steps: readonly Step[];
  readonly index: number;
}

/** The step that is due: as many as the assistant has answered since the last script was given. */
function findCue(conversation: readonly Message[]): Cue | undefined {
  let answers = 0;
  for (const message of conversation.toReversed()) {
    if (message.role === "assistant") answers += 1;
    const steps = message.role === "user" ? findScript(message.text) : undefined;
    if (steps) return { steps, index: answers };
  }
  return undefined;
}
