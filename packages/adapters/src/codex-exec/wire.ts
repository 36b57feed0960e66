import type { AgentEvent, EventOf } from "@fairlead/contract";
import { failureCategory, inclusiveTokens, textOfContent } from "@fairlead/kit";
import type { CallResult, Reading, Trouble } from "@fairlead/kit";
import { z } from "zod";

/** What `codex exec --json` of Codex 0.166 says: one object on each line. */

const Words = z.looseObject({ message: z.string() });
const Count = z.int().nonnegative().default(0);
const Usage = z.looseObject({
  input_tokens: Count,
  cached_input_tokens: Count,
  cache_write_input_tokens: Count,
  output_tokens: Count,
  reasoning_output_tokens: Count,
});

/** A piece of a turn, whatever its kind: what was said, or one call of a tool. */
const Item = z.looseObject({
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
  error: Words.nullish(),
});
export type Item = z.infer<typeof Item>;

export const Line = z.looseObject({
  type: z.string(),
  thread_id: z.string().default(""),
  item: Item.optional(),
  usage: Usage.optional(),
  error: Words.optional(),
  message: z.string().default(""),
});

const tools = new Map([
  ["command_execution", "exec_command"],
  ["file_change", "apply_patch"],
  ["web_search", "web_search"],
  ["mcp_tool_call", ""],
]);
const inputs = ["command", "changes", "query", "arguments"];

/** The tool that an item is a call of, or null when it is none. */
export function toolOf(item: Item): { readonly name: string; readonly input: unknown } | null {
  const name = tools.get(item.type);
  if (name === undefined) return null;
  const given = inputs.filter((key) => item[key] !== undefined && (key !== "changes" || item.changes.length > 0));
  return {
    name: name || `${item.server}.${item.tool}`,
    input: Object.fromEntries(given.map((key) => [key, item[key]])),
  };
}

/** What came of the call that an item was. */
export function resultOf(item: Item): CallResult {
  const { status, aggregated_output: printed, error, result } = item;
  const output = printed ?? error?.message ?? textOfContent(result?.content);
  return { output, reason: status === "failed" ? "failed" : status === "declined" ? "denied" : undefined };
}

export function changesIn({ changes }: Item, call: string): EventOf<"file.changed">[] {
  return changes.map(({ path, kind }) => {
    const change = kind === "add" ? "created" : kind === "delete" ? "deleted" : "modified";
    return { type: "file.changed", path, change, call };
  });
}

/** What an item says that is no call; null when it is of no known kind. */
export function saidIn({ type, text, message }: Item): AgentEvent[] | null {
  if (type === "agent_message") return [{ type: "text.ended", text }];
  if (type === "reasoning") return text === "" ? [] : [{ type: "reasoning.ended", text }];
  if (type === "error") return [{ type: "status.reported", level: "warning", message }];
  return type === "todo_list" ? [] : null;
}

/** Its figures are totals of the conversation, and its input includes what came from a cache or went to one. */
export function readingOf(usage: z.infer<typeof Usage>, model: string): Reading {
  const { input_tokens: input, cached_input_tokens: cacheRead, cache_write_input_tokens: cacheWrite } = usage;
  const { output_tokens: output, reasoning_output_tokens: reasoning } = usage;
  const tokens = inclusiveTokens({ input, cacheRead, cacheWrite, output, reasoning });
  return { kind: "cumulative", provider: "openai", model, tokens, cost: null };
}

const unknownThread = /no rollout found|invalid (session|thread) id|thread not found/i;
const status = /\bstatus:? (\d{3})\b/;

/** Of a failure it gives only words. */
export function failureOf(says: string): Omit<Trouble, "over"> {
  if (unknownThread.test(says)) return { category: "session-not-found", says };
  const told = status.exec(says)?.[1];
  return { category: failureCategory(told === undefined ? null : Number(told), says), says };
}
