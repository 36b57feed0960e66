import { keyedMap, type AgentEvent } from "@fairlead/contract";
import {
  callEnded,
  callProgressed,
  callRequested,
  callStarted,
  parseJsonLine,
  textOfContent,
  watchdog,
} from "@fairlead/kit";
import type { TransitionWriter } from "@fairlead/kit";
import { z } from "zod";
import { describeCodexCall } from "../codex-exec/actions.ts";
import type { CodexState } from "./dialect.ts";
import { toCodexItemEvents, toCodexItemStart } from "./events.ts";
import { failedCallPattern, findCodexTool, toCodexCallResult, toCodexFileChanges, type CodexTool } from "./tools.ts";
import type { CodexItem, CodexNotification } from "./wire.ts";

type Writer = TransitionWriter<CodexState>;

/** A tool call as the model made it. Codex reports it before the item; some calls never become an item. */
const RawItem = z.looseObject({
  call_id: z.string(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  input: z.string().nullish(),
  output: z.unknown().optional(),
});

/** Returns false when the message is of an unknown type. */
export function writeCodexEvents(writer: Writer, events: readonly AgentEvent[] | null): boolean {
  writer.event(...(events ?? []));
  return events !== null;
}

/** Reports a call that the model made. */
export function recordCodexCall(writer: Writer, call: string, { name, input }: CodexTool): void {
  writer.set({ requestedCalls: keyedMap.set(writer.state.requestedCalls, call, null) });
  callRequested(writer, { call, name, input, action: describeCodexCall(name, input) });
}

interface CodexItemContext {
  readonly isOwnThread: boolean;
  readonly isCompleted: boolean;
  /** The names of the MCP servers that the session was started with. */
  readonly servers: readonly string[];
}

/** Reports a part of a turn. Returns false when its type is unknown. */
export function handleCodexItem(
  writer: Writer,
  item: CodexItem,
  { isOwnThread, isCompleted, servers }: CodexItemContext,
): boolean {
  const { requestedCalls, interrupting } = writer.state;
  const { id: call, processId } = item;
  const tool = findCodexTool(item, servers);
  if (isCompleted) watchdog.modelAnswered(writer);
  if (tool === null && !isOwnThread) return true;
  if (tool === null) return writeCodexEvents(writer, isCompleted ? toCodexItemEvents(item) : toCodexItemStart(item));
  if (keyedMap.get(requestedCalls, call) !== null) recordCodexCall(writer, call, tool);
  const result = isCompleted ? toCodexCallResult(item, interrupting) : null;
  const succeeded = result !== null && result.reason === undefined;
  if (processId || succeeded) callStarted(writer, call);
  if (succeeded) writer.event(...toCodexFileChanges(item.changes ?? [], call));
  if (result !== null) callEnded(writer, call, result);
  return true;
}

/** Output of a running command or patch, and messages of a running tool of an MCP server. */
export const codexProgressMethods = /^item\/((commandExecution|fileChange)\/outputDelta|mcpToolCall\/progress)$/;

/** Reports what a running call has written. Progress after the end of a call has no new information. */
export function handleCodexProgress(writer: Writer, { itemId, delta, message }: CodexNotification): boolean {
  const output = delta === "" && message !== undefined ? `${message}\n` : delta;
  if (itemId != null && output !== "") callProgressed(writer, itemId, { output });
  return itemId != null;
}

/** Reports a call that never becomes an item, such as one that the sandbox stopped, when its output arrives. */
export function handleRawCodexItem(writer: Writer, item: unknown): void {
  const { requestedCalls, current } = writer.state;
  const raw = RawItem.safeParse(item).data;
  if (raw === undefined || current === null) return;
  const { call_id: call, output: rawOutput } = raw;
  const tool = keyedMap.get(requestedCalls, call);
  if (tool === undefined) {
    // Arguments that are not JSON are shown as the model wrote them.
    const input = raw.input ?? parseJsonLine(raw.arguments ?? "") ?? raw.arguments ?? null;
    writer.set({ requestedCalls: keyedMap.set(requestedCalls, call, { name: raw.name ?? "", input }) });
  } else if (tool !== null && rawOutput !== undefined) {
    const output = textOfContent(rawOutput);
    recordCodexCall(writer, call, tool);
    callEnded(writer, call, { output, reason: failedCallPattern.test(output) ? "failed" : undefined });
  }
}
