import type { EventOf } from "@fairlead/contract";
import type { DecisionOption, Telling } from "./adapter-event.ts";
import { objectOf } from "./object-of.ts";
import { optionId, questionIds } from "./question-ids.ts";

/** A decision that waits: the approval of a tool call, or a choice for each question that it asks. */
export function decisionTellings(asked: EventOf<"decision.requested">): Telling[] {
  const { decision, kind, title, tool, input, questions = [] } = asked;
  if (kind === "approval") {
    const approval = { decisionId: decision, toolName: tool ?? title, toolArgs: objectOf(input) };
    return [{ type: "decision", subtype: "tool_approval", ...approval, severity: "high" }];
  }
  return questionIds(decision, questions).map((decisionId, at) => ({
    type: "decision",
    subtype: "option",
    decisionId,
    title: questions[at]?.text ?? title,
    summary: title,
    options: (questions[at]?.options ?? []).map(({ label, description = "" }, index): DecisionOption => ({
      id: optionId(index),
      label,
      description,
    })),
    severity: "medium",
    // The agent does not say how sure it is, nor how far it reaches.
    confidence: 0,
    blastRadius: "unknown",
    affectedArtifactIds: [],
    requiresRationale: false,
  }));
}
