import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Answer, DecisionRequested, Question } from "@fairlead/contract";
import type { z } from "zod";
import { toolKind } from "./tool-kind.ts";

export type DecisionRequest = z.infer<typeof DecisionRequested>;
export type PermissionPrompt = Omit<RequestPermissionRequest, "sessionId">;

const allowOption: PermissionOption = { optionId: "allow", name: "Allow", kind: "allow_once" };
const rejectOption: PermissionOption = { optionId: "reject", name: "Reject", kind: "reject_once" };

/** Builds the permission request for an approval. */
export function approvalRequest(decision: DecisionRequest): PermissionPrompt {
  return { toolCall: describeToolCall(decision, decision.title), options: [allowOption, rejectOption] };
}

/** Builds a permission request for a question, for editors without forms: its options, and "None of these". */
export function questionRequest(decision: DecisionRequest, { text, options }: Question): PermissionPrompt {
  const choices = options.map(({ label }, index): PermissionOption => ({
    optionId: `option-${index}`,
    name: label,
    kind: "allow_once",
  }));
  return {
    toolCall: describeToolCall(decision, text),
    options: [...choices, { ...rejectOption, name: "None of these" }],
  };
}

export function selectedLabel({ options }: Question, outcome: RequestPermissionOutcome): string | undefined {
  if (outcome.outcome !== "selected") return undefined;
  return options.find((_, index) => outcome.optionId === `option-${index}`)?.label;
}

/** Converts an outcome to an answer. Every outcome except the option `allow` is a denial. */
export function answerFromOutcome(outcome: RequestPermissionOutcome): Answer {
  if (outcome.outcome === "cancelled") return canceledAnswer;
  if (outcome.optionId === allowOption.optionId) return { type: "allow" };
  return { type: "deny", message: "The user rejected this.", interrupt: false };
}

/** In the protocol, this outcome means that the user canceled the whole turn. */
export const canceledAnswer: Answer = { type: "deny", message: "The user canceled the turn.", interrupt: true };

function describeToolCall(
  { decision, call, tool, input }: DecisionRequest,
  title: string,
): PermissionPrompt["toolCall"] {
  const toolDetails = tool === undefined ? {} : { name: tool, kind: toolKind(tool) };
  return { toolCallId: call ?? decision, title, ...toolDetails, ...(input !== undefined && { rawInput: input }) };
}
