import type { PermissionOption, RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { Answer, DecisionRequested, Question } from "@fairlead/contract";
import type { z } from "zod";
import { toolKind } from "./tool-kind.ts";

export type Decision = z.infer<typeof DecisionRequested>;
export type Permission = Omit<RequestPermissionRequest, "sessionId">;

const yes: PermissionOption = { optionId: "allow", name: "Allow", kind: "allow_once" };
const no: PermissionOption = { optionId: "reject", name: "Reject", kind: "reject_once" };

/** An approval as the protocol asks for it. */
export function approvalRequest(decision: Decision): Permission {
  return { toolCall: callOf(decision, decision.title), options: [yes, no] };
}

/** A question, for editors that can put no other: its options, of which one is chosen, and none. */
export function questionRequest(decision: Decision, { text, options }: Question): Permission {
  const choices = options.map(({ label }, at): PermissionOption => ({
    optionId: `option-${at}`,
    name: label,
    kind: "allow_once",
  }));
  return { toolCall: callOf(decision, text), options: [...choices, { ...no, name: "None of these" }] };
}

export function choiceOf({ options }: Question, outcome: RequestPermissionOutcome): string | undefined {
  if (outcome.outcome !== "selected") return undefined;
  return options.find((_, at) => outcome.optionId === `option-${at}`)?.label;
}

/** What was answered. Whatever is not plainly a yes is a no. */
export function answerOf(outcome: RequestPermissionOutcome): Answer {
  if (outcome.outcome === "cancelled") return cancelled;
  if (outcome.optionId === yes.optionId) return { type: "allow" };
  return { type: "deny", message: "The user said no to this.", interrupt: false };
}

/** By the protocol, this answer means that the whole turn was called off. */
export const cancelled: Answer = { type: "deny", message: "The user called the turn off.", interrupt: true };

function callOf({ decision, call, tool, input }: Decision, title: string): Permission["toolCall"] {
  const about = tool === undefined ? {} : { name: tool, kind: toolKind(tool) };
  return { toolCallId: call ?? decision, title, ...about, ...(input !== undefined && { rawInput: input }) };
}
