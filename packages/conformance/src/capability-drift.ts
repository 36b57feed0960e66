import type { Capability, Delta, Event, ToolActionKind } from "@fairlead/contract";

type SessionOutputs = readonly (Event | Delta)[];

/**
 * The output that is evidence of each capability. A capability without an entry leaves no trace in ordinary output, so
 * only its own scenario can show it.
 */
const capabilityEvidence: Readonly<Partial<Record<Capability, (outputs: SessionOutputs) => boolean>>> = {
  streaming: (outputs) => outputs.some((output) => "type" in output && output.type === "text.delta"),
  reasoning: (outputs) => hasEvent(outputs, "reasoning.ended"),
  tools: (outputs) => hasEvent(outputs, "tool.requested"),
  "parallel-tools": (outputs) => maxOpenToolCalls(outputs) > 1,
  "file-events": (outputs) =>
    outputs.some(
      (output) => "body" in output && output.body.type === "file.changed" && output.body.source !== "observed",
    ),
  "read-tool": (outputs) => hasAction(outputs, "read"),
  "search-tool": (outputs) => hasAction(outputs, "search"),
  "fetch-tool": (outputs) => hasAction(outputs, "fetch"),
  approvals: (outputs) =>
    outputs.some(
      (output) => "body" in output && output.body.type === "decision.requested" && output.body.kind === "approval",
    ),
  questions: (outputs) =>
    outputs.some(
      (output) => "body" in output && output.body.type === "decision.requested" && output.body.kind === "question",
    ),
  "take-over": (outputs) => outputs.some((output) => "type" in output && output.type === "screen"),
  "recorded-take-over": (outputs) =>
    outputs.some(
      (output) => "body" in output && output.body.type === "turn.started" && output.body.origin === "terminal",
    ),
  usage: (outputs) => hasEvent(outputs, "usage.reported"),
  cost: (outputs) =>
    outputs.some((output) => "body" in output && output.body.type === "usage.reported" && output.body.cost !== null),
};

/** Compares the declared capabilities with the observed ones. Returns one sentence per difference. */
export function findCapabilityDrift(declared: readonly Capability[], sessions: readonly SessionOutputs[]): string[] {
  return (Object.entries(capabilityEvidence) as [Capability, (outputs: SessionOutputs) => boolean][]).flatMap(
    ([capability, hasEvidence]) => {
      const wasObserved = sessions.some(hasEvidence);
      if (wasObserved === declared.includes(capability)) return [];
      return [
        wasObserved
          ? `${capability} was observed and is not declared`
          : `${capability} is declared and was not observed`,
      ];
    },
  );
}

function hasEvent(outputs: SessionOutputs, type: Event["body"]["type"]): boolean {
  return outputs.some((output) => "body" in output && output.body.type === type);
}

function hasAction(outputs: SessionOutputs, kind: ToolActionKind): boolean {
  return outputs.some(
    (output) => "body" in output && output.body.type === "tool.requested" && output.body.action?.kind === kind,
  );
}

function maxOpenToolCalls(outputs: SessionOutputs): number {
  let open = 0;
  let maxOpen = 0;
  for (const output of outputs) {
    if (!("body" in output)) continue;
    if (output.body.type === "tool.requested") maxOpen = Math.max(maxOpen, (open += 1));
    if (output.body.type === "tool.ended") open -= 1;
  }
  return maxOpen;
}
