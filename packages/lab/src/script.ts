import { findScript as findSteps, withScript } from "@fairlead/kit";
import type { Step } from "./step.ts";

/** The text of a prompt that carries a script. The agent sees a sentence; the lab reads what follows it. */
export function script(steps: readonly Step[], sentence = "Please do this."): string {
  return withScript(sentence, steps);
}

export function findScript(text: string): Step[] | undefined {
  return findSteps(text);
}
