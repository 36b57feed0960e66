import type { AgentEvent } from "@fairlead/contract";
import type { CodexItem, CodexNotification } from "./wire.ts";

const ignoredItemTypes =
  /^(userMessage|hookPrompt|functionCallOutput|subAgentActivity|sleep|image\w+|dynamicToolCall|error)$|ReviewMode$/;

/** Returns the events of an item that is not a tool call, or null for an unknown type. */
export function toCodexItemEvents({ type, text, summary }: CodexItem): AgentEvent[] | null {
  if (type === "agentMessage" || type === "plan") return [{ type: "text.ended", text: text ?? "" }];
  if (type === "contextCompaction") return [{ type: "context.compacted", trigger: "automatic" }];
  if (type !== "reasoning") return ignoredItemTypes.test(type) ? [] : null;
  const reasoningText = summary?.join("\n") ?? "";
  return reasoningText === "" ? [] : [{ type: "reasoning.ended", text: reasoningText }];
}

/** Returns the events of an item that starts. Only a compaction is announced: other items are reported when they end. */
export function toCodexItemStart({ type }: CodexItem): AgentEvent[] {
  if (type !== "contextCompaction") return [];
  const message = "The agent compacts its context.";
  return [{ type: "status.reported", level: "info", message, announces: "compaction" }];
}

/** Known notifications that do not affect a session. */
const ignoredMethods =
  /^(account|app|fs|hook|mcpServer|model|project|rawResponse|remoteControl|skills|thread)\/|^turn\/(diff|moderation)/;
const ignoredItemMethods = /^item\/(commandExecution|fileChange|plan|autoApprovalReview|reasoning)\//;

/** Returns the events of a notification that does not depend on the state, or null for an unknown method. */
export function toCodexEvents(
  method: string,
  { plan, error, message, summary }: CodexNotification,
): AgentEvent[] | null {
  if (method === "turn/plan/updated" && plan !== undefined) {
    const toStepState = (planStatus: string) =>
      planStatus === "completed" ? "done" : planStatus === "inProgress" ? "active" : "pending";
    return [
      { type: "plan.updated", steps: plan.map(({ step, status }) => ({ text: step, state: toStepState(status) })) },
    ];
  }
  const warning = /^(\w*[wW]arning|deprecationNotice)$/.test(method) ? (message ?? summary) : undefined;
  const text = method.startsWith("mcpServer/") ? error?.message : warning;
  if (text !== undefined) return [{ type: "status.reported", level: "warning", message: text }];
  return ignoredMethods.test(method) || ignoredItemMethods.test(method) ? [] : null;
}
