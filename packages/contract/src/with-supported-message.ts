import type { Capability } from "./capability.ts";
import type { Answer } from "./command.ts";

/**
 * Returns an answer that a program made, without the explanation that it added to a denial if the agent cannot receive
 * one. A person's own words must not be dropped like this: the runtime refuses them instead.
 */
export function withSupportedMessage(answer: Answer, capabilities: readonly Capability[]): Answer {
  return answer.type !== "deny" || capabilities.includes("told-denials") ? answer : { ...answer, message: "" };
}
