import type { AgentEvent } from "@fairlead/contract";

/** Events of one session that have a text in every field that the contract leaves to an agent. */
export function hostileBodies(text: string): AgentEvent[] {
  const tokens = { uncached: 3, cacheRead: 0, cacheWrite: 0, output: 2, reasoning: 0 };
  const by = { kind: "person", label: text } as const;
  return [
    { type: "session.changed", agentSessionId: text, model: text },
    { type: "turn.started", turn: "t", input: text, origin: "user" },
    { type: "text.ended", text },
    { type: "reasoning.ended", text },
    { type: "plan.updated", steps: (["done", "active", "pending"] as const).map((state) => ({ text, state })) },
    { type: "tool.requested", call: "1", name: text, input: { [text]: text, command: text } },
    { type: "tool.progressed", call: "1", output: text },
    { type: "tool.ended", call: "1", name: text, ok: false, output: text },
    { type: "tool.requested", call: "2", name: text, input: text, action: { kind: "run", command: text } },
    { type: "decision.requested", decision: text, kind: "approval", title: text, call: "2", tool: text, input: text },
    { type: "decision.resolved", decision: text, outcome: "allowed", by, message: text },
    { type: "tool.started", call: "2" },
    { type: "tool.ended", call: "2", name: text, ok: true, output: text },
    { type: "tool.requested", call: "3", name: text, input: text, action: { kind: "edit", paths: [text, text] } },
    { type: "file.changed", path: text, change: "modified", call: "3" },
    { type: "tool.ended", call: "3", name: text, ok: true, output: text },
    {
      type: "decision.requested",
      decision: "q",
      kind: "question",
      title: text,
      questions: [{ text, options: [{ label: text, description: text }], multiSelect: false }],
    },
    { type: "decision.resolved", decision: "q", outcome: "answered", by, answers: { [text]: text } },
    { type: "file.changed", path: text, change: "created", source: "observed", attribution: "unknown" },
    { type: "status.reported", level: "warning", message: text },
    { type: "error.raised", category: "unknown", message: text },
    { type: "unrecognized", reason: text, raw: text },
    { type: "context.injected", text },
    { type: "progress.reported", text, percent: 5 },
    { type: "quota.reported", status: "warning", window: text },
    { type: "artifact.produced", path: text, kind: "other", bytes: 1, summary: text },
    { type: "turn.steered", turn: "t", text },
    {
      type: "usage.reported",
      provider: text,
      model: text,
      tokens,
      cost: { amount: 0.5, currency: "USD" },
      provenance: "reported",
    },
    { type: "turn.ended", turn: "t", outcome: "failed" },
    { type: "message.queued", turn: "t2", text },
    { type: "message.returned", turn: "t2", text, reason: "failed" },
    { type: "session.ended", reason: "crashed", exit: { code: null, signal: text } },
  ] as AgentEvent[];
}
