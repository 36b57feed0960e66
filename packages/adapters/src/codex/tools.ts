import type { EventOf, ToolAction } from "@fairlead/contract";
import { textOfContent, type CallResult, type OpenCall } from "@fairlead/kit";
import { describeCodexCall } from "../codex-exec/actions.ts";
import type { CodexItem, CodexServerRequest } from "./wire.ts";

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

type DecisionPrompt = Pick<EventOf<"decision.requested">, "kind" | "title" | "questions" | "action">;

/** Converts a request to what a person reads: the title, the questions and what the call does. */
export function toDecisionPrompt(tool: CodexTool, request: CodexServerRequest): DecisionPrompt {
  const { questions, message, reason, command } = request;
  const title = message ?? `${tool.name}: ${reason ?? command ?? "a change of files"}`;
  if (questions === undefined) return { kind: "approval", title, action: describeRequest(tool, request) };
  const contractQuestions = questions.map(({ question: text, options }) => ({
    text,
    multiSelect: false,
    options: options ?? [],
  }));
  return { kind: "question", title: contractQuestions[0]?.text ?? title, questions: contractQuestions };
}

/** What an approval grants besides the call: a folder for writing, more permissions, or a host. */
const furtherGrants = ["grantRoot", "additionalPermissions", "networkApprovalContext"];

function describeRequest({ name, input }: CodexTool, request: CodexServerRequest): ToolAction {
  const action = describeCodexCall(name, input);
  return furtherGrants.some((field) => request[field] != null) ? { ...action, incomplete: true } : action;
}
