import type { AgentEvent, EventOf } from "@fairlead/contract";
import { AgentTokenCount, failureCategory, patternHead, subtractCachedInput, textOfContent } from "@fairlead/kit";
import type { CallResult, UsageReading, AgentFailure } from "@fairlead/kit";
import { z } from "zod";

/** The output of `codex exec --json` of Codex 0.166: one object per line. */

const ErrorMessage = z.looseObject({ message: z.string() });
const Count = AgentTokenCount.default(0);
/** The tokens of a conversation or of an answer. The transcript has the same. */
export const CodexExecUsage = z.looseObject({
  input_tokens: Count,
  cached_input_tokens: Count,
  cache_write_input_tokens: Count,
  output_tokens: Count,
  reasoning_output_tokens: Count,
});

/** A part of a turn: a text, a reasoning step or one tool call. */
const CodexExecItem = z.looseObject({
  type: z.string(),
  id: z.string(),
  status: z.string().nullish(),
  text: z.string().default(""),
  message: z.string().default(""),
  aggregated_output: z.string().nullish(),
  changes: z.array(z.looseObject({ path: z.string(), kind: z.string() })).default([]),
  server: z.string().nullish(),
  tool: z.string().nullish(),
  result: z.looseObject({ content: z.unknown() }).nullish(),
  error: ErrorMessage.nullish(),
});
export type CodexExecItem = z.infer<typeof CodexExecItem>;

export const CodexExecLine = z.looseObject({
  type: z.string(),
  thread_id: z.string().default(""),
  item: CodexExecItem.optional(),
  usage: CodexExecUsage.optional(),
  error: ErrorMessage.optional(),
  message: z.string().default(""),
});

const tools = new Map([
  ["command_execution", "exec_command"],
  ["file_change", "apply_patch"],
  ["web_search", "web_search"],
  ["mcp_tool_call", ""],
]);
const inputKeys = ["command", "changes", "query", "arguments"];

/** Returns the tool and the input of an item that is a tool call, otherwise null. */
export function findCodexExecTool(item: CodexExecItem): { readonly name: string; readonly input: unknown } | null {
  const name = tools.get(item.type);
  if (name === undefined) return null;
  const presentKeys = inputKeys.filter(
    (key) => item[key] !== undefined && (key !== "changes" || item.changes.length > 0),
  );
  return {
    name: name || `${item.server}.${item.tool}`,
    input: Object.fromEntries(presentKeys.map((key) => [key, item[key]])),
  };
}

/** Returns the result of an item that is a tool call. */
export function toCodexExecCallResult(item: CodexExecItem): CallResult {
  const { status, aggregated_output: commandOutput, error, result } = item;
  const output = commandOutput ?? error?.message ?? textOfContent(result?.content);
  return { output, reason: status === "failed" ? "failed" : status === "declined" ? "denied" : undefined };
}

/** Converts the file changes of a call. The app server lists changes in the same form. */
export function toCodexFileChanges(
  changes: readonly { readonly path: string; readonly kind: string }[],
  call: string,
): EventOf<"file.changed">[] {
  return changes.map(({ path, kind }) => {
    const change = kind === "add" ? "created" : kind === "delete" ? "deleted" : "modified";
    return { type: "file.changed", path, change, call };
  });
}

/** Returns the events of an item that is not a tool call, or null for an unknown type. */
export function toCodexExecItemEvents({ type, text, message }: CodexExecItem): AgentEvent[] | null {
  if (type === "agent_message") return [{ type: "text.ended", text }];
  if (type === "reasoning") return text === "" ? [] : [{ type: "reasoning.ended", text }];
  if (type === "error") return [{ type: "status.reported", level: "warning", message }];
  return type === "todo_list" ? [] : null;
}

/** Token counts as Codex reports them: totals of the conversation, whose input includes cached tokens. */
interface CodexTokenTotals {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** Converts the totals of a conversation. The app server reports the same totals under other names. */
export function toCodexUsageReading(totals: CodexTokenTotals, provider: string, model: string): UsageReading {
  return { kind: "cumulative", provider, model, tokens: subtractCachedInput(totals), cost: null };
}

export function toCodexExecUsageReading(usage: z.infer<typeof CodexExecUsage>, model: string): UsageReading {
  const { input_tokens: input, cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
  const { output_tokens: output, reasoning_output_tokens: reasoning } = usage;
  return toCodexUsageReading({ input, cacheRead, cacheWrite, output, reasoning }, "openai", model);
}

/** Matches the error for a conversation that Codex does not know, of exec and of the app server. */
export const unknownThreadPattern = /no rollout found|invalid (session|thread) id|thread not found/i;
/** Matches the error for a conversation that another process of Codex writes to, of exec and of the app server. */
const activeWriterPattern = /already has an active writer/i;
const activeWriterHint = "Close the other Codex that has this conversation open, then try again.";

/** Returns the failure for a conversation that another process has open, or null. */
export function toActiveWriterFailure(text: string): Omit<AgentFailure, "isFinal"> | null {
  if (!activeWriterPattern.test(patternHead(text))) return null;
  return { category: "conversation-in-use", message: `${text.replace(/\.?$/, ".")} ${activeWriterHint}` };
}
const statusPattern = /\bstatus:? (\d{3})\b/;

/** Categorizes a failure by its message: exec reports no status and no error code. */
export function toCodexExecFailure(text: string): Omit<AgentFailure, "isFinal"> {
  const head = patternHead(text);
  const activeWriterFailure = toActiveWriterFailure(text);
  if (activeWriterFailure !== null) return activeWriterFailure;
  if (unknownThreadPattern.test(head)) return { category: "session-not-found", message: text };
  const statusText = statusPattern.exec(head)?.[1];
  return { category: failureCategory(statusText === undefined ? null : Number(statusText), text), message: text };
}

/** Matches the output of a failed call as Codex returns it to the model. */
export const failedCallPattern = /^Process exited with code (?!0$)|^unsupported call/m;
