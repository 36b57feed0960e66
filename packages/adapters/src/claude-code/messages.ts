import { keyedMap } from "@fairlead/contract";
import { callEnded, callProgressed, callRequested, callStarted, textOfContent } from "@fairlead/kit";
import { sessionIdentified, watchdog } from "@fairlead/kit";
import type { ContentBlock, TransitionWriter } from "@fairlead/kit";
import type { z } from "zod";
import { describeClaudeCodeCall } from "./actions.ts";
import { readSubAgentAnswer } from "./answer-usage.ts";
import type { ClaudeCodeState } from "./dialect.ts";
import { categorizeClaudeCodeError, isApiErrorMessage } from "./failure.ts";
import { findClaudeCodeFileChange } from "./tools.ts";
import { withoutToolServer } from "./host-tools.ts";
import { ignoredSystemSubtypes, stripModelSuffix, type ClaudeCodeMessageOf } from "./wire.ts";

type Writer = TransitionWriter<ClaudeCodeState>;
type Block = z.infer<typeof ContentBlock>;

/** Writes the events of an answer of the model. */
export function writeClaudeCodeAnswer(writer: Writer, message: ClaudeCodeMessageOf<"assistant">): void {
  // The result repeats an API error, with its status.
  if (isApiErrorMessage(message)) return;
  watchdog.modelAnswered(writer.set({ answering: false }));
  const parent = message.parent_tool_use_id == null ? {} : { parent: message.parent_tool_use_id };
  writeClaudeCodeContent(writer, message.message.content, parent);
  readSubAgentAnswer(writer, message);
}

/** Writes the events of the model's message: texts, reasoning and calls. */
export function writeClaudeCodeContent(
  writer: Writer,
  content: readonly Block[],
  parent: { readonly parent?: string },
): void {
  for (const block of content) {
    if (block.type === "text") writer.event({ type: "text.ended", text: block.text, ...parent });
    else if (block.type === "thinking") writer.event({ type: "reasoning.ended", text: block.thinking, ...parent });
    else if (block.type === "tool_use") {
      const { id: call, input } = block;
      const name = withoutToolServer(block.name);
      callRequested(writer, { call, name, input, action: describeClaudeCodeCall(name, input), ...parent });
    }
  }
}

/** What a message of results says about its calls. */
export interface ClaudeCodeResults {
  readonly content: readonly (string | Block)[];
  /** The structured result, if the message has one result. */
  readonly toolResult: unknown;
  /** Whether the tool of a call did not run. Older versions do not report it; `callEnded` knows denied calls. */
  readonly wasNotExecuted: (call: string) => boolean;
}

/** Ends the calls whose results a message has, and reports the files that they changed. */
export function endClaudeCodeCalls(writer: Writer, { content, toolResult, wasNotExecuted }: ClaudeCodeResults): void {
  for (const result of content) {
    if (typeof result === "string" || result.type !== "tool_result") continue;
    const call = result.tool_use_id;
    const openCall = keyedMap.get(writer.state.calls, call);
    const output = textOfContent(result.content);
    const failure = wasNotExecuted(call) ? "denied" : "failed";
    const failureReason = writer.state.interrupting ? "interrupted" : failure;
    const reason = result.is_error ? failureReason : undefined;
    const file =
      reason === undefined && openCall !== undefined && findClaudeCodeFileChange(openCall, toolResult, output);
    if (file) {
      callStarted(writer, call);
      writer.event({ type: "file.changed", ...file, call });
    }
    callEnded(writer, call, { output, reason });
  }
}

/** Reports how long a call runs. A hook that runs before the call has an id of its own, and the call has not started. */
export function reportClaudeCodeProgress(writer: Writer, message: ClaudeCodeMessageOf<"tool_progress">): void {
  const { tool_use_id: id, parent_tool_use_id: parent, elapsed_time_seconds: elapsedSeconds } = message;
  if (id.startsWith("hook-")) return;
  const call = keyedMap.get(writer.state.calls, id) === undefined ? (parent ?? "") : id;
  callProgressed(writer, call, { output: "", ...(elapsedSeconds !== undefined && { elapsedSeconds }) });
}

/** Handles what the program says about itself: its conversation, its retries and its context. */
export function handleClaudeCodeSystemMessage(
  writer: Writer,
  incoming: ClaudeCodeMessageOf<"system">,
  retryDeadline: number,
): boolean {
  if (incoming.subtype === "init")
    sessionIdentified(writer, incoming.session_id ?? "", stripModelSuffix(incoming.model));
  else if (incoming.subtype === "api_retry") {
    const { error_status: status, error = "unknown", attempt = 0, max_retries: maxAttempts = 0 } = incoming;
    const message = `The model did not answer (${status ?? error}). Retry ${attempt} of ${maxAttempts}.`;
    writer.warn(message);
    const category = categorizeClaudeCodeError(
      status == null ? "Connection error." : error,
      status,
      writer.state.answering,
    );
    watchdog.modelRetrying(writer, retryDeadline, { category, message });
  } else if (incoming.status === "compacting") {
    const message = "The agent compacts its context.";
    writer.event({ type: "status.reported", level: "info", message, announces: "compaction" });
    watchdog.extendDeadline(writer, 5 * retryDeadline);
  } else if (incoming.subtype === "compact_boundary") {
    const trigger = incoming.compact_metadata?.trigger === "manual" ? "asked" : "automatic";
    writer.event({ type: "context.compacted", trigger });
  } else return ignoredSystemSubtypes.test(incoming.subtype);
  return true;
}
