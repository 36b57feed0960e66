import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { AgentTool } from "./tools/agent-tool.ts";

/** What each mode allows without asking, and what needs an approval. A mode forbids everything else. */
const modeRules = {
  default: { name: "Ask first", allowed: ["reads"], needsApproval: ["edits", "runs", "calls"] },
  "ask-all": { name: "Ask about everything", allowed: [], needsApproval: ["reads", "edits", "runs", "calls"] },
  "accept-edits": { name: "Accept edits", allowed: ["reads", "edits"], needsApproval: ["runs", "calls"] },
  plan: { name: "Plan only", allowed: ["reads"], needsApproval: [] },
  "dangerously-skip-permissions": {
    name: "Skip permissions",
    allowed: ["reads", "edits", "runs", "calls"],
    needsApproval: [],
  },
} as const satisfies Record<string, ModeRule>;

interface ModeRule {
  readonly name: string;
  readonly allowed: readonly AgentTool["effect"][];
  readonly needsApproval: readonly AgentTool["effect"][];
}

export type AgentMode = keyof typeof modeRules;

export function isAgentMode(name: string): name is AgentMode {
  return Object.hasOwn(modeRules, name);
}

/** Returns whether a mode allows a tool, needs an approval for it, or forbids it. */
export function findPermission(mode: AgentMode, { effect }: AgentTool): "allowed" | "needs-approval" | "forbidden" {
  if (effect === "client") return "allowed";
  const { allowed, needsApproval }: ModeRule = modeRules[mode];
  if (allowed.includes(effect)) return "allowed";
  return needsApproval.includes(effect) ? "needs-approval" : "forbidden";
}

export function toModeState(current: AgentMode): SessionModeState {
  return {
    currentModeId: current,
    availableModes: Object.entries(modeRules).map(([id, { name }]) => ({ id, name })),
  };
}
