import { textOfContent, type CallResult, type OpenCall } from "@fairlead/kit";
import type { CodexItem } from "./wire.ts";

export { failedCallPattern, toCodexFileChanges } from "../codex-exec/wire.ts";

export type CodexTool = Pick<OpenCall, "name" | "input">;

const tools = new Map([
  ["commandExecution", "exec_command"],
  ["fileChange", "apply_patch"],
  ["webSearch", "web_search"],
  ["mcpToolCall", ""],
  ["collabAgentToolCall", ""],
]);
const inputKeys = ["command", "cwd", "changes", "prompt", "query"];

/** Returns the tool and the input of an item that is a tool call, otherwise null. */
export function findCodexTool(item: CodexItem): CodexTool | null {
  const name = tools.get(item.type);
  if (name === undefined) return null;
  const inputEntries = inputKeys.filter((key) => item[key] != null).map((key) => [key, item[key]]);
  const fullName = [item.server, name || item.tool].filter(Boolean).join(".");
  return { name: fullName, input: item["arguments"] ?? (Object.fromEntries(inputEntries) as unknown) };
}

/** Returns the result of an item that is a tool call. */
export function toCodexCallResult(
  { status, aggregatedOutput, error, result }: CodexItem,
  interrupting: boolean,
): CallResult {
  const output = aggregatedOutput ?? error?.message ?? textOfContent(result?.content);
  if (status === "completed" || status == null) return { output, reason: undefined };
  return { output, reason: status === "declined" ? "denied" : interrupting ? "interrupted" : "failed" };
}
