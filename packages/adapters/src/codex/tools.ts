import { isSameJson, keyedMap, type EventOf, type KeyedMap, type ToolAction } from "@fairlead/contract";
import { textOfContent, type CallResult, type OpenCall } from "@fairlead/kit";
import { textOfCodexResult } from "./host-tools.ts";
import { codexServerToolName } from "./mcp-servers.ts";
import { describeCodexCall } from "../codex-exec/actions.ts";
import type { CodexItem, CodexServerRequest } from "./wire.ts";

export { failedCallPattern, toCodexFileChanges } from "../codex-exec/wire.ts";

export type CodexTool = Pick<OpenCall, "name" | "input">;

const tools = new Map([
  ["commandExecution", "exec_command"],
  ["fileChange", "apply_patch"],
  ["webSearch", "web_search"],
  ["mcpToolCall", ""],
  ["dynamicToolCall", ""],
  ["collabAgentToolCall", ""],
]);
const inputKeys = ["command", "cwd", "changes", "prompt", "query"];

/** Returns the tool and the input of an item that is a tool call, otherwise null. */
export function findCodexTool(item: CodexItem, servers: readonly string[]): CodexTool | null {
  const name = tools.get(item.type);
  if (name === undefined) return null;
  const inputEntries = inputKeys.filter((key) => item[key] != null).map((key) => [key, item[key]]);
  const tool = name || (item.tool ?? "");
  const fullName = item.server ? codexServerToolName(servers, item.server, tool) : tool;
  return { name: fullName, input: item["arguments"] ?? (Object.fromEntries(inputEntries) as unknown) };
}

/** Returns the result of an item that is a tool call. */
export function toCodexCallResult(
  { status, aggregatedOutput, error, result, contentItems }: CodexItem,
  interrupting: boolean,
): CallResult {
  const output =
    aggregatedOutput ?? error?.message ?? textOfCodexResult(contentItems) ?? textOfContent(result?.content);
  if (status === "completed" || status == null) return { output, reason: undefined };
  return { output, reason: status === "declined" ? "denied" : interrupting ? "interrupted" : "failed" };
}

/** What a request is about. The call is empty if the request does not tell which one it is. */
interface RequestedCall extends CodexTool {
  readonly call: string;
}

/** Finds the call of a request. The request's own input is what an approval allows, also if Codex announced another one. */
export function findRequestedCall(
  calls: KeyedMap<OpenCall>,
  request: CodexServerRequest,
  servers: readonly string[],
): RequestedCall {
  const { itemId: call, serverName, command, cwd } = request;
  if (call === undefined) return findServerCall(calls, request, servers);
  const requested = { ...(command != null && { command }), ...(cwd != null && { cwd }) };
  const openCall = keyedMap.get(calls, call);
  if (openCall === undefined) return { call, name: serverName ?? "exec_command", input: requested };
  const { name, input } = openCall;
  return { call, name, input: command == null || typeof input !== "object" ? input : { ...input, ...requested } };
}

/**
 * A request for a tool of an MCP server contains the input, but not the call: it may be any open call of that server. Its text
 * names the tool.
 */
function findServerCall(
  calls: KeyedMap<OpenCall>,
  { serverName: server = "", message = "", _meta }: CodexServerRequest,
  servers: readonly string[],
): RequestedCall {
  const params = _meta?.tool_params;
  const prefix = codexServerToolName(servers, server, "");
  const open = keyedMap.entries(calls).filter(([, { name }]) => name.startsWith(prefix));
  const same = open.length > 1 ? open.filter(([, { input }]) => isSameJson(input, params)) : open;
  const isNamed = ({ name }: OpenCall): boolean => message.includes(`"${name.slice(prefix.length)}"`);
  const named = servers.includes(server) && same.length > 1 ? same.filter(([, call]) => isNamed(call)) : same;
  const [first] = named;
  const isCertain = first !== undefined && named.every(([, { name }]) => name === first[1].name);
  if (!isCertain) return { call: "", name: server, input: params ?? {} };
  const [call, { name, input }] = first;
  return { call, name, input: params ?? input };
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
