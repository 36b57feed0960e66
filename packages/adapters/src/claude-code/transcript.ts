import { keyedMap, type AgentMemory, type Opening, type TranscriptPart } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, ContentBlock, parseJsonLine } from "@fairlead/kit";
import { terminalTurnEnded, terminalTurnStarted, textOfContent } from "@fairlead/kit";
import type { TransitionWriter } from "@fairlead/kit";
import { z } from "zod";
import { describeClaudeCodeCall } from "./actions.ts";
import type { ClaudeCodeState } from "./dialect.ts";
import { categorizeClaudeCodeError } from "./failure.ts";
import { endClaudeCodeCalls, writeClaudeCodeContent } from "./messages.ts";
import { claudeCodeFolder } from "./needs.ts";
import { answerCounted, costStateRead, usageRead } from "./terminal-usage.ts";
import { ClaudeCodeModelUsage } from "./wire.ts";

/** Lines of the transcript of Claude Code 1.0.128 to 2.1. Loose: each release adds fields. */
const Common = z.looseObject({ isSidechain: z.boolean().optional(), isMeta: z.boolean().optional() });

const UserLine = Common.extend({
  type: z.literal("user"),
  isCompactSummary: z.boolean().optional(),
  message: z.looseObject({ content: z.union([z.string().transform((text) => [text]), z.array(ContentBlock)]) }),
  toolUseResult: z.unknown().optional(),
  toolDenialKind: z.string().optional(),
});

const AssistantLine = Common.extend({
  type: z.literal("assistant"),
  isApiErrorMessage: z.boolean().optional(),
  message: z.looseObject({
    id: z.string(),
    model: z.string(),
    content: z.array(ContentBlock),
    stop_reason: z.string().nullish(),
    usage: z.unknown(),
  }),
});

const SystemLine = Common.extend({
  type: z.literal("system"),
  subtype: z.string(),
  compactMetadata: z.looseObject({ trigger: z.string() }).optional(),
});

const CostLine = z.looseObject({
  type: z.literal("cost-state"),
  modelUsage: z.record(z.string(), ClaudeCodeModelUsage),
});

const TranscriptLine = z.discriminatedUnion("type", [UserLine, AssistantLine, SystemLine, CostLine]);
type TranscriptLine = z.infer<typeof TranscriptLine>;
type LineOf<Type extends TranscriptLine["type"]> = Extract<TranscriptLine, { type: Type }>;

type Writer = TransitionWriter<ClaudeCodeState>;
const interruptedText = "[Request interrupted by user";
const rejectedText = "User rejected tool use";
/** The name of Claude Code's own messages in place of the model's. */
const noModel = "<synthetic>";

/** Reads the turns of the terminal from Claude Code's transcript. */
export function readClaudeCodeTranscript(writer: Writer, { lines, isLast }: TranscriptPart): void {
  // An interrupt of the agent's own turn, before the person took over, says nothing about the terminal's calls.
  writer.set({ interrupting: false });
  for (const line of lines) {
    const json = parseJsonLine(line);
    const parsed = TranscriptLine.safeParse(json);
    if (parsed.success) readLine(writer, parsed.data);
    // Other types are notes of the program for itself. A message that cannot be read must not be lost.
    else if (z.looseObject({ type: z.enum(["user", "assistant"]) }).safeParse(json).success) writer.unrecognized(line);
  }
  if (!isLast) return;
  endTurn(writer);
  writer.set({ terminalAnswer: null });
}

function readLine(writer: Writer, line: TranscriptLine): void {
  switch (line.type) {
    case "user":
      return line.isSidechain || line.isMeta || line.isCompactSummary ? undefined : readUserLine(writer, line);
    case "assistant":
      return readAssistantLine(writer, line);
    case "system":
      if (line.subtype === "turn_duration") endTurn(writer);
      if (line.subtype === "compact_boundary") {
        const trigger = line.compactMetadata?.trigger === "manual" ? "asked" : "automatic";
        writer.event({ type: "context.compacted", trigger });
      }
      return;
    case "cost-state":
      answerCounted(writer);
      return costStateRead(writer, line.modelUsage);
    default:
      line satisfies never;
  }
}

function readUserLine(writer: Writer, { message, toolUseResult, toolDenialKind }: LineOf<"user">): void {
  endClaudeCodeCalls(writer, {
    content: message.content,
    toolResult: toolUseResult,
    wasNotExecuted: () => toolDenialKind !== undefined || toolUseResult === rejectedText,
  });
  const text = message.content.map((block) => (typeof block === "string" ? block : textOfContent([block]))).join("");
  const command = between(text, "<command-name>", "</command-name>");
  const shellCommand = between(text, "<bash-input>", "</bash-input>");
  if (text === "" || text.startsWith("<local-command-")) return;
  if (text.startsWith(interruptedText)) endTurn(writer, "interrupted");
  else if (text.startsWith("<bash-stdout>")) endShellCommand(writer, text);
  else if (shellCommand !== null && text.startsWith("<bash-input>")) startShellCommand(writer, shellCommand);
  else if (command !== null && text.trimStart().startsWith("<command-"))
    startTurn(writer, `${command} ${between(text, "<command-args>", "</command-args>") ?? ""}`.trim());
  else startTurn(writer, text);
}

/** A command that the person ran with `!`. It is the person's call, not the model's. */
function startShellCommand(writer: Writer, command: string): void {
  startTurn(writer, `!${command}`);
  const call = shellCallOf(writer);
  const input = { command };
  callRequested(writer, { call, name: "Bash", input, action: describeClaudeCodeCall("Bash", input) });
  callStarted(writer, call);
}

function endShellCommand(writer: Writer, text: string): void {
  const stdout = between(text, "<bash-stdout>", "</bash-stdout>") ?? "";
  const stderr = between(text, "<bash-stderr>", "</bash-stderr>") ?? "";
  callEnded(writer, shellCallOf(writer), { output: `${stdout}${stderr}`, reason: undefined });
}

const shellCallOf = (writer: Writer): string => `${writer.state.terminalTurn}/shell`;

function readAssistantLine(writer: Writer, { isSidechain, isApiErrorMessage, message }: LineOf<"assistant">): void {
  const text = textOfContent(message.content);
  if (message.model === noModel) {
    if (!isApiErrorMessage && !text.includes("API Error")) return;
    if (!writer.state.terminalTurn) startTurn(writer, "");
    writer.raise({ category: categorizeClaudeCodeError(text), message: text });
    return endTurn(writer, "failed");
  }
  // The transcript does not say which call a sub-agent belongs to. Its usage is in the totals of newer versions.
  if (isSidechain) return;
  usageRead(writer, message);
  if (!writer.state.terminalTurn) startTurn(writer, "");
  writeClaudeCodeContent(writer, message.content, {});
}

function startTurn(writer: Writer, input: string): void {
  endTurn(writer);
  writer.set({ terminalAnswer: null });
  terminalTurnStarted(writer, input);
}

/** Ends the open turn. Without an outcome, the model's last answer says whether the turn was completed. */
function endTurn(writer: Writer, outcome?: "interrupted" | "failed"): void {
  const { terminalAnswer: answer, calls } = writer.state;
  answerCounted(writer);
  const isUnfinished = answer?.stopReason === "tool_use" || keyedMap.size(calls) > 0;
  terminalTurnEnded(writer, outcome ?? (isUnfinished ? "interrupted" : "completed"));
}

/** Returns the text between two marks, or null. Linear in the length of the text, which the agent chooses. */
function between(text: string, start: string, end: string): string | null {
  const from = text.indexOf(start);
  const to = text.indexOf(end, from + start.length);
  return from < 0 || to < 0 ? null : text.slice(from + start.length, to);
}

/** Returns the folder of all conversations in a workspace. */
export function claudeCodeTranscriptFolder(
  opening: Opening,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  return `${claudeCodeFolder(environment)}/${projectFolder(opening)}`;
}

/** Returns the transcript, and what it refers to: results that were too long for it, and transcripts of sub-agents. */
export function locateClaudeCodeMemory(
  opening: Opening,
  agentSessionId: string,
  environment: Readonly<Record<string, string | undefined>>,
): AgentMemory {
  const name = /^[\w-][\w.-]*$/;
  return {
    root: claudeCodeFolder(environment),
    folder: projectFolder(opening),
    files: [
      { folder: "", name: `${agentSessionId}.jsonl` },
      { folder: `${agentSessionId}/subagents`, name, optional: true },
      { folder: `${agentSessionId}/tool-results`, name, optional: true },
    ],
  };
}

function projectFolder({ workspace }: Opening): string {
  return `projects/${workspace.replaceAll(/[^a-zA-Z0-9]/g, "-")}`;
}
