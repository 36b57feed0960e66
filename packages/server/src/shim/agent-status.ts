import type { ShimState } from "./shim-state.ts";

export type AgentStatus = "running" | "paused" | "waiting_on_human" | "completed" | "idle" | "error";

const ofOutcome = { completed: "completed", limited: "completed", interrupted: "idle", failed: "error" } as const;

/** What the agent is doing, in the words of this protocol. */
export function agentStatus({ ended, paused, decisions, turn, outcome }: ShimState): AgentStatus {
  if (ended !== null) return ended === "stopped" || ended === "finished" ? "completed" : "error";
  if (paused) return "paused";
  if (Object.values(decisions).some(({ open }) => open)) return "waiting_on_human";
  // Before its first turn it is about to take up what it was started with.
  return turn !== null || outcome === null ? "running" : ofOutcome[outcome];
}
