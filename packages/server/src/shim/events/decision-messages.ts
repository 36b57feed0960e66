import type { EventOf } from "@fairlead/contract";
import { type ShimDecisionOption, type ShimMessage, toJsonObject } from "./adapter-event.ts";
import { optionId, questionIds } from "./shim-ids.ts";

/** Describes an open decision: an approval of a tool call or a connection, or one choice per question. `id` is the protocol's. */
export function decisionMessages(id: string, request: EventOf<"decision.requested">): ShimMessage[] {
  const { kind, title, tool, input, questions = [] } = request;
  if (kind !== "question") {
    const approval = { decisionId: id, toolName: tool ?? title, toolArgs: toJsonObject(input) };
    return [{ type: "decision", subtype: "tool_approval", ...approval, severity: "high" }];
  }
  return questionIds(id, questions).map((decisionId, position) => ({
    type: "decision",
    subtype: "option",
    decisionId,
    title: questions[position]?.text ?? title,
    summary: title,
    options: (questions[position]?.options ?? []).map(({ label, description = "" }, index): ShimDecisionOption => ({
      id: optionId(index),
      label,
      description,
    })),
    severity: "medium",
    // Agents report neither their confidence nor the extent of the effects.
    confidence: 0,
    blastRadius: "unknown",
    affectedArtifactIds: [],
    requiresRationale: false,
  }));
}
