import { withSupportedMessage, type Answer, type Capability, type EventOf, type Question } from "@fairlead/contract";

export type RequestedDecision = EventOf<"decision.requested">;

/** Answers an agent's decision requests. */
export interface DecisionAnswerer {
  /** Returns the answer, or null if the person detaches instead. Throws the signal's reason when aborted. */
  answer(decision: RequestedDecision, signal: AbortSignal): Promise<Answer | null>;
}

/** Creates an answerer for commands without a person: it denies, and prints one warning with what to type instead. */
export function createUnattendedAnswerer(
  warn: (text: string) => void,
  capabilities: readonly Capability[],
): DecisionAnswerer {
  const denial: Answer = {
    type: "deny",
    message: "No person is available to answer.",
    interrupt: false,
    unattended: true,
  };
  let warned = false;
  return {
    async answer({ kind }) {
      if (!warned) {
        const advice = `To answer later, use --detach and fairlead ${kind === "question" ? "answer" : "approve"}.`;
        warn(`Fairlead denied the request: there is no terminal to ask in. ${advice}`);
      }
      warned = true;
      return withSupportedMessage(denial, capabilities);
    },
  };
}

/** Parses a typed answer: option numbers become labels, other text stays. Returns null if it is empty or out of range. */
export function parseQuestionAnswer({ options, multiSelect }: Question, typed: string): string | null {
  const text = typed.trim();
  if (text === "") return null;
  const numbers = multiSelect ? text.split(",").map((part) => part.trim()) : [text];
  if (!numbers.every((part) => /^\d+$/.test(part))) return text;
  // A question without options accepts any text, also a number.
  if (options.length === 0) return text;
  const labels = numbers.map((part) => options[Number(part) - 1]?.label);
  return labels.every((label) => label !== undefined) ? labels.join(", ") : null;
}
