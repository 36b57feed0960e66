import type { SessionModeState } from "@agentclientprotocol/sdk";
import type { Tool } from "./tool.ts";

/** What may be done without asking, in each mode. What stands nowhere is not done at all. */
const rules = {
  default: { name: "Ask first", free: ["reads"], asked: ["edits", "runs"] },
  "accept-edits": { name: "Accept edits", free: ["reads", "edits"], asked: ["runs"] },
  plan: { name: "Plan only", free: ["reads"], asked: [] },
  "dangerously-skip-permissions": { name: "Ask nobody", free: ["reads", "edits", "runs"], asked: [] },
} as const satisfies Record<string, Rule>;

interface Rule {
  readonly name: string;
  readonly free: readonly Tool["effect"][];
  readonly asked: readonly Tool["effect"][];
}

export type Mode = keyof typeof rules;

export function isMode(name: string): name is Mode {
  return Object.hasOwn(rules, name);
}

/** Whether a tool may be used in this mode. */
export function leave(mode: Mode, { effect }: Tool): "free" | "asked" | "never" {
  const { free, asked }: Rule = rules[mode];
  if (free.includes(effect)) return "free";
  return asked.includes(effect) ? "asked" : "never";
}

export function modeState(current: Mode): SessionModeState {
  return {
    currentModeId: current,
    availableModes: Object.entries(rules).map(([id, { name }]) => ({ id, name })),
  };
}
