import { keyedMap, type ToolAction } from "@fairlead/contract";
import { callEnded, callRequested, callStarted } from "../calls.ts";
import { describeAcpCall } from "./acp-action.ts";
import type { AcpQuirks } from "./acp-quirks.ts";
import { findServerTool, toolNameInCallId } from "./mcp-servers.ts";
import { flushPartialMessage } from "./partial-message.ts";
import type { AcpDialectOptions, AcpFileChange, AcpCallState, AcpWriter } from "./acp-state.ts";
import { AcpRawOutput, type AcpToolCall } from "./wire.ts";

/** Records an update of a call. Returns null if the call has ended, because a late update has no new information. */
export function recordCallUpdate(writer: AcpWriter, quirks: AcpQuirks, update: AcpToolCall): AcpCallState | null {
  const { toolCallId: call } = update;
  const previous = keyedMap.get(writer.state.callStates, call);
  if (previous === null) return null;
  const title = update.title ?? previous?.title ?? "";
  const kind = update.kind ?? previous?.kind ?? "other";
  const changes = changesOf(update);
  const name = previous?.name ?? toolNameOf(quirks, call, title, kind);
  const isAnnounced = previous !== undefined && keyedMap.get(writer.state.calls, call) !== undefined;
  const rawInput = isAnnounced ? null : rawInputOf(update);
  const paths = update.locations?.map(({ path }) => path) ?? previous?.paths ?? [];
  const callState: AcpCallState = {
    name,
    title,
    kind,
    // The input must not change after tool.requested, because a decision refers to it.
    input: isAnnounced ? previous.input : inputOf(update, previous),
    ...((rawInput !== null || previous?.hasRawInput === true) && { hasRawInput: true }),
    ...(paths.length > 0 && { paths }),
    output: outputText(update) || (previous?.output ?? ""),
    changes: changes.length > 0 ? changes : (previous?.changes ?? []),
  };
  writer.set({ callStates: keyedMap.set(writer.state.callStates, call, callState) });
  return callState;
}

/** Writes `tool.requested` once per call. Called when the input is known: agents announce calls before that. */
export function announceCall(writer: AcpWriter, quirks: AcpQuirks, callState: AcpCallState, update: AcpToolCall): void {
  const { toolCallId: call } = update;
  if (keyedMap.get(writer.state.calls, call) !== undefined) return;
  flushPartialMessage(writer);
  const { name, input } = callState;
  callRequested(writer, { call, name, input, action: actionOf(quirks, callState, update) });
}

/** Describes a call by its newest update and by what earlier updates said. */
export function actionOf(quirks: AcpQuirks, callState: AcpCallState, update: AcpToolCall): ToolAction {
  const { name, title, kind, input, hasRawInput, paths = [], changes } = callState;
  return describeAcpCall(quirks, {
    name,
    title,
    kind,
    rawInput: rawInputOf(update) ?? (hasRawInput === true ? (input as object) : null),
    paths: [...paths, ...changes.map(({ path }) => path)],
    description: (update.content ?? []).map((part) => part.content?.text ?? "").join(""),
  });
}

/** Writes the events that follow from an update of a call. */
export function applyCallUpdate(
  writer: AcpWriter,
  { quirks, asksWhileInProgress }: AcpDialectOptions,
  update: AcpToolCall,
): void {
  const { toolCallId: call, status } = update;
  const previousOutput = keyedMap.get(writer.state.callStates, call)?.output ?? "";
  const callState = recordCallUpdate(writer, quirks, update);
  if (callState === null || status == null || status === "pending") return;
  announceCall(writer, quirks, callState, update);
  if (status !== "in_progress") return finishCall(writer, call, resultOf(quirks, callState, update));
  if (!asksWhileInProgress) callStarted(writer, call);
  // Each update repeats the whole output, so write only the new part.
  const hasStarted = keyedMap.get(writer.state.calls, call)?.started === true;
  if (!hasStarted || callState.output === previousOutput || !callState.output.startsWith(previousOutput)) return;
  writer.event({ type: "tool.progressed", call, output: callState.output.slice(previousOutput.length) });
}

interface CallOutcome {
  readonly output: string;
  readonly ok: boolean;
  readonly changes: readonly AcpFileChange[];
}

function finishCall(writer: AcpWriter, call: string, { output, ok, changes }: CallOutcome): void {
  const failure = writer.state.interrupting ? "interrupted" : "failed";
  const reason = ok && !writer.state.interrupting ? undefined : failure;
  if (reason === undefined) {
    callStarted(writer, call);
    for (const change of changes) writer.event({ type: "file.changed", ...change, call });
  }
  callEnded(writer, call, { output, reason });
  closeCallState(writer, call);
}

/** Marks a call as ended, so that later updates are ignored. */
export function closeCallState(writer: AcpWriter, call: string): void {
  writer.set({ callStates: keyedMap.set(writer.state.callStates, call, null) });
}

function resultOf(quirks: AcpQuirks, callState: AcpCallState, update: AcpToolCall): CallOutcome {
  const raw = AcpRawOutput.safeParse(update.rawOutput).data;
  const report = callState.kind === "execute" ? quirks.commandReport?.(callState.output) : undefined;
  const rawText = typeof update.rawOutput === "string" ? update.rawOutput : "";
  const exit = raw?.exitCode ?? raw?.exit_code ?? raw?.metadata?.exit ?? report?.exit ?? 0;
  const existed = raw?.metadata?.exists;
  const changes = callState.changes.map((fileChange) =>
    existed === undefined || fileChange.change === "deleted"
      ? fileChange
      : ({ ...fileChange, change: existed ? "modified" : "created" } as const),
  );
  return {
    output: report?.output ?? (callState.output || rawText),
    ok: update.status === "completed" && exit === 0,
    changes,
  };
}

function toolNameOf(quirks: AcpQuirks, call: string, title: string, kind: string): string {
  const { toolName: source, serverTools, tools } = quirks;
  const own = ownToolName(quirks, call, title, kind);
  if (serverTools === undefined || tools?.has(own)) return own;
  const named = typeof source === "object" ? toolNameInCallId(call, source.idBefore) : own;
  return findServerTool(serverTools, named ?? own) ?? own;
}

function ownToolName({ toolName: source }: AcpQuirks, call: string, title: string, kind: string): string {
  if (source === "title") return title || kind;
  if (source === undefined) return kind;
  const [before, after] = call.split(source.idBefore);
  return after === undefined || before === undefined ? kind : before;
}

/** Returns the input that an update contains, or null. */
export function rawInputOf({ rawInput }: AcpToolCall): object | null {
  return typeof rawInput === "object" && rawInput !== null && Object.keys(rawInput).length > 0 ? rawInput : null;
}

/** Returns the input of a call. For agents that omit the raw input: the title, and the paths and texts of changes. */
function inputOf(update: AcpToolCall, previous: AcpCallState | undefined): unknown {
  const { title, locations, content } = update;
  const rawInput = rawInputOf(update);
  if (rawInput !== null) return rawInput;
  if (previous !== undefined) return previous.input;
  const paths = (locations ?? []).map(({ path }) => path);
  const texts = (content ?? []).flatMap(({ newText }) => newText ?? []);
  return { title: title ?? "", ...(paths.length > 0 && { paths }), ...(texts.length > 0 && { texts }) };
}

/** Returns the output of a call. Before the call runs, `content` is a description of it and not output. */
function outputText({ content, status, sessionUpdate }: AcpToolCall): string {
  const isRunning = status === "in_progress" && sessionUpdate === "tool_call_update";
  if (!isRunning && status !== "completed" && status !== "failed") return "";
  return (content ?? []).map((part) => part.content?.text ?? "").join("");
}

function changesOf({ content, kind, locations }: AcpToolCall): AcpFileChange[] {
  const diffs = (content ?? []).flatMap(({ path, oldText }): AcpFileChange[] =>
    path === undefined ? [] : [{ path, change: (oldText ?? "") === "" ? "created" : "modified" }],
  );
  if (diffs.length > 0) return diffs;
  const change = kind === "delete" ? "deleted" : kind === "edit" ? "modified" : undefined;
  return change === undefined ? [] : (locations ?? []).map(({ path }) => ({ path, change }));
}
