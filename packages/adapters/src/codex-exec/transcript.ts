import { keyedMap, type AgentMemory, type Opening, type TerminalConversation } from "@fairlead/contract";
import type { TranscriptLocation, TranscriptPart } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, parseJsonLine, reportUsage } from "@fairlead/kit";
import { terminalTurnEnded, terminalTurnStarted, textOfContent } from "@fairlead/kit";
import type { Meters, TerminalTurnState, TransitionWriter, UsageReading } from "@fairlead/kit";
import { z } from "zod";
import { describeCodexCall } from "./actions.ts";
import { codexFolder } from "./needs.ts";
import { CodexExecUsage, failedCallPattern, toCodexFileChanges } from "./wire.ts";

/** A completed part of a turn, in the transcript of Codex 0.164 to 0.166. Loose: each release adds fields. */
const Item = z.looseObject({
  type: z.string(),
  id: z.string(),
  content: z.array(z.looseObject({ text: z.string().default("") })).default([]),
  summary_text: z.array(z.string()).default([]),
  status: z.string().default("completed"),
  source: z.string().optional(),
  command: z.array(z.string()).default([]),
  aggregated_output: z.string().nullish(),
  stdout: z.string().default(""),
  stderr: z.string().default(""),
  changes: z.record(z.string(), z.looseObject({ type: z.string() })).default({}),
});
type Item = z.infer<typeof Item>;

/** Notices: of turns, and of the parts of turns. */
const EventLine = z.looseObject({
  type: z.literal("event_msg"),
  payload: z.looseObject({ type: z.string(), item: z.unknown().optional() }),
});
/** Requests and answers of the model. Only the calls are read from them. */
const ResponseLine = z.looseObject({
  type: z.literal("response_item"),
  payload: z.looseObject({
    type: z.string(),
    call_id: z.string().default(""),
    name: z.string().default(""),
    arguments: z.string().optional(),
    input: z.string().optional(),
    output: z.unknown().optional(),
  }),
});
const UsageLine = z.looseObject({
  type: z.literal("token_usage_record"),
  payload: z.looseObject({ usage: CodexExecUsage, thread_token_usage: CodexExecUsage }),
});
const ContextLine = z.looseObject({ type: z.literal("turn_context"), payload: z.looseObject({ model: z.string() }) });
const TranscriptLine = z.discriminatedUnion("type", [EventLine, ResponseLine, UsageLine, ContextLine]);
type TranscriptLine = z.infer<typeof TranscriptLine>;

/** The part of a state that the transcript is read into. */
export interface CodexTranscriptState extends TerminalTurnState {
  readonly meters: Meters;
  /** The model that the terminal uses, once the transcript names it. */
  readonly terminalModel?: string | null;
}

type Writer<State extends CodexTranscriptState> = TransitionWriter<State>;
/** Converts the running totals of the conversation as the dialect does with those that Codex reports to it. */
type ToReading = (usage: z.infer<typeof CodexExecUsage>, model: string | null) => UsageReading;

/** Reads the turns of the terminal from Codex's transcript. */
export function readCodexTranscript<State extends CodexTranscriptState>(
  writer: Writer<State>,
  { lines, isLast }: TranscriptPart,
  toReading: ToReading,
): void {
  for (const text of lines) {
    const line = TranscriptLine.safeParse(parseJsonLine(text)).data;
    if (line !== undefined) readLine(writer, line, toReading);
  }
  if (!isLast) return;
  terminalTurnEnded(writer, "interrupted");
  writer.state = { ...writer.state, terminalModel: null };
}

function readLine<State extends CodexTranscriptState>(
  writer: Writer<State>,
  line: TranscriptLine,
  toReading: ToReading,
): void {
  if (line.type === "turn_context") writer.state = { ...writer.state, terminalModel: line.payload.model };
  else if (line.type === "token_usage_record") countUsage(writer, line.payload, toReading);
  else if (line.type === "response_item") readCall(writer, line.payload);
  else if (line.payload.type === "task_started" || line.payload.type === "task_complete")
    terminalTurnEnded(writer, "completed");
  else if (line.payload.type === "turn_aborted") terminalTurnEnded(writer, "interrupted");
  else if (line.payload.type === "item_completed") {
    const item = Item.safeParse(line.payload.item).data;
    if (item !== undefined) readItem(writer, item);
  }
}

/** Reports the usage of one answer. Without a total from before, the total without this answer is the baseline. */
function countUsage<State extends CodexTranscriptState>(
  writer: Writer<State>,
  { usage, thread_token_usage: total }: z.infer<typeof UsageLine>["payload"],
  toReading: ToReading,
): void {
  const model = writer.state.terminalModel ?? null;
  const before = {
    input_tokens: total.input_tokens - usage.input_tokens,
    cached_input_tokens: total.cached_input_tokens - usage.cached_input_tokens,
    cache_write_input_tokens: total.cache_write_input_tokens - usage.cache_write_input_tokens,
    output_tokens: total.output_tokens - usage.output_tokens,
    reasoning_output_tokens: total.reasoning_output_tokens - usage.reasoning_output_tokens,
  };
  if (Object.values(before).every((count) => count >= 0))
    reportUsage(writer, { ...toReading(before, model), counted: "before" });
  reportUsage(writer, toReading(total, model));
}

/** Reads a call of the model, or what the model got for it. Calls that become an item end with the item. */
function readCall<State extends CodexTranscriptState>(
  writer: Writer<State>,
  payload: z.infer<typeof ResponseLine>["payload"],
): void {
  const { type, call_id: call, name, arguments: json, input, output } = payload;
  if (call === "" || !writer.state.terminalTurn) return;
  if (type === "function_call" || type === "custom_tool_call")
    requestCall(writer, call, name, input ?? parseJsonLine(json ?? ""));
  else if (type.endsWith("_output")) {
    const text = textOfContent(output);
    const wasAborted = /^(?:Wall time: [\d.]+ seconds\n)?aborted by user/.test(text.slice(0, 100));
    const reason = wasAborted ? "interrupted" : failedCallPattern.test(text) ? "failed" : undefined;
    callEnded(writer, call, { output: text, reason });
  }
}

function requestCall<State extends CodexTranscriptState>(
  writer: Writer<State>,
  call: string,
  name: string,
  input: unknown,
): void {
  callRequested(writer, { call, name, input, action: describeCodexCall(name, input) });
}

function readItem<State extends CodexTranscriptState>(writer: Writer<State>, item: Item): void {
  const { type, id: call, content, summary_text: summary } = item;
  const text = content.map((part) => part.text).join("");
  if (type === "UserMessage") {
    const turn = writer.state.terminalTurn ?? null;
    if (turn === null) terminalTurnStarted(writer, text);
    else writer.event({ type: "turn.steered", turn, text });
  } else if (type === "ContextCompaction")
    writer.event({ type: "context.compacted", trigger: writer.state.terminalTurn ? "automatic" : "asked" });
  else if (type === "CommandExecution" && item.source === "user_shell") {
    // A command that the person ran with `!`. It is the person's call, not the model's.
    const command = item.command.at(-1) ?? "";
    terminalTurnStarted(writer, `!${command}`);
    requestCall(writer, call, "exec_command", { command });
    endCall(writer, item);
  } else if (!writer.state.terminalTurn) return;
  else if (type === "AgentMessage") writer.event({ type: "text.ended", text });
  else if (type === "Reasoning" && summary.length > 0)
    writer.event({ type: "reasoning.ended", text: summary.join("\n") });
  else if (type === "CommandExecution" || type === "FileChange") endCall(writer, item);
}

function endCall<State extends CodexTranscriptState>(writer: Writer<State>, item: Item): void {
  const { id: call, status, aggregated_output: output, stdout, stderr, changes } = item;
  if (keyedMap.get(writer.state.calls, call) === undefined) return;
  const reason = status === "completed" ? undefined : status === "declined" ? "denied" : "failed";
  if (reason === undefined) {
    callStarted(writer, call);
    const list = Object.entries(changes).map(([path, { type: kind }]) => ({ path, kind }));
    writer.event(...toCodexFileChanges(list, call));
  }
  callEnded(writer, call, { output: output ?? `${stdout}${stderr}`, reason });
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const transcriptName = /^rollout-[\dT-]{19}-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;
/** In the first line. Quotes in a text of the user would be escaped. */
const forkPattern = /^[^\n]*"forked_from_id":"/;
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Returns where Codex keeps its transcripts of a conversation: in a folder of the day, in local time, on which it began.
 */
export function locateCodexTranscript({
  agentSessionId,
  environment,
  since,
}: TerminalConversation): TranscriptLocation | null {
  if (!uuidPattern.test(agentSessionId)) return null;
  const days = listDaysAround(beganAt(agentSessionId), since.getTime());
  return { folders: days.map((day) => `${codexFolder(environment)}/sessions/${day}`), fileName: transcriptName };
}

/**
 * Returns the one transcript of a conversation. Codex needs none of its databases to resume it. The transcript of a fork names
 * the conversation that was forked, and does not repeat it.
 */
export function locateCodexMemory(
  _opening: Opening,
  agentSessionId: string,
  environment: Readonly<Record<string, string | undefined>>,
): AgentMemory | null {
  if (!uuidPattern.test(agentSessionId)) return null;
  const name = new RegExp(`^rollout-[\\dT-]{19}-${agentSessionId}\\.jsonl$`);
  return {
    root: codexFolder(environment),
    folder: "sessions",
    files: listDaysAround(beganAt(agentSessionId)).map((folder) => ({ folder, name, needsOthers: forkPattern })),
  };
}

/** The time at which a conversation began, in milliseconds. Its id begins with it. */
function beganAt(agentSessionId: string): number {
  return Number.parseInt(agentSessionId.replace("-", "").slice(0, 12), 16);
}

/** Returns the names of the folders of days, one of which is that of a time on a machine in any time zone. */
function listDaysAround(...times: readonly number[]): string[] {
  const days = times.flatMap((time) => [time - dayMs, time, time + dayMs]);
  return [...new Set(days.map((time) => new Date(time).toISOString().slice(0, 10).replaceAll("-", "/")))];
}
