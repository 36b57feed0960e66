import { emptyKeyedMap } from "@fairlead/contract";
import type { AgentCommand, Continuation, Dialect } from "@fairlead/contract";
import type { Effect, LaunchCommand, Observation, ToolOffer } from "@fairlead/contract";
import {
  agentTurnStarted,
  dialectWithWatchdog,
  finishTurn,
  initialConversation,
  parseJsonLine,
  planConversation,
} from "@fairlead/kit";
import { noCalls, reportUsage, submit } from "@fairlead/kit";
import type { ConversationTarget, UserMessage, Meters, Quotas, TerminalTurnState } from "@fairlead/kit";
import type { WatchdogState, TransitionWriter } from "@fairlead/kit";
import { keepUnfinishedAnswers, noAnswers, reportNewestAnswer, reportStreamedAnswer } from "./answer-usage.ts";
import type { NewestAnswers } from "./answer-usage.ts";
import { answerClaudeCodeDecision, cancelClaudeCodeDecision, handleClaudeCodeRequest } from "./decisions.ts";
import { noClaudeCodeDecisions, requestClaudeCodeDecisionsAgain, type ClaudeCodeDecisions } from "./decisions.ts";
import { categorizeClaudeCodeError } from "./failure.ts";
import { answerClaudeCodeTool, offerClaudeCodeTools } from "./host-tools.ts";
import { endClaudeCodeCalls, handleClaudeCodeSystemMessage } from "./messages.ts";
import { reportClaudeCodeProgress, writeClaudeCodeAnswer } from "./messages.ts";
import { toUsageByModel, type TerminalAnswer, type UsageByModel } from "./terminal-usage.ts";
import { readClaudeCodeTranscript } from "./transcript.ts";
import { askClaudeCodeAboutAll, formatClaudeCodeInitialize } from "./every-call.ts";
import { reportClaudeCodeQuota } from "./quota.ts";
import { parseClaudeCodeUsage } from "./usage.ts";
import { ClaudeCodeMessage, formatClaudeCodeInput, type ClaudeCodeMessageOf } from "./wire.ts";

export interface ClaudeCodeState extends WatchdogState, TerminalTurnState, ClaudeCodeDecisions {
  readonly pendingDecisions: ClaudeCodeDecisions["pendingDecisions"];
  readonly interrupts: number;
  /** Whether the model has started an answer. */
  readonly answering: boolean;
  /** The usage of this process, for versions that report only totals. Totals start at zero in each process. */
  readonly meters: Meters;
  /** The newest answers of the turn, and what its answers have reported. States of older versions lack them. */
  readonly answers?: NewestAnswers;
  readonly answeredUsage?: UsageByModel;
  readonly quotas?: Quotas;
  /** The usage of the conversation at the last result, for versions that report it. */
  readonly conversationUsage?: UsageByModel;
  /** The last answer in the terminal that is being read, and the usage of its answers that was reported. */
  readonly terminalAnswer?: TerminalAnswer | null;
  readonly terminalUsage?: UsageByModel;
}

export interface ClaudeCodeDialectOptions {
  launch(target: ConversationTarget): LaunchCommand;
  readonly continues: Continuation | null;
  readonly retryDeadline: number;
  readonly notices: readonly string[];
  /** Whether the program asks before every call. */
  readonly asksAboutAll: boolean;
  /** The tools that the program is offered. */
  readonly tools: readonly ToolOffer[];
}

type Writer = TransitionWriter<ClaudeCodeState>;
const noTurn = { calls: noCalls, ...noClaudeCodeDecisions, answering: false, failure: null, meters: {} };
const initializeId = "initialize";
const createMessageEffect = (message: UserMessage): Effect => ({
  type: "write",
  text: formatClaudeCodeInput.message(message.text),
});

export function createClaudeCodeDialect(options: ClaudeCodeDialectOptions): Dialect<ClaudeCodeState> {
  return dialectWithWatchdog<ClaudeCodeState>({
    initialState: { ...initialConversation, ...noTurn, interrupts: 0, activeSinceAlarm: false },
    deadline: options.retryDeadline,
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
    interruptTurn: interrupt,
    readTranscript: readClaudeCodeTranscript,
  });
}

function handle(options: ClaudeCodeDialectOptions, writer: Writer, command: AgentCommand): void {
  switch (command.type) {
    case "open":
    case "resume":
      writer.set({ quotas: {} }); // so that they are reported again: the session waits for none now
      for (const message of command.type === "open" ? options.notices : []) writer.warn(message);
      writer.effect({
        type: "launch",
        command: options.launch(planConversation(writer, command.type, options.continues)),
      });
      initialize(options, writer);
      break;
    case "send":
      return submit(writer, command, createMessageEffect);
    case "answer":
      return answerClaudeCodeDecision(writer, command, interrupt);
    case "interrupt":
    case "pause":
    case "end":
      if (writer.state.current !== null) interrupt(writer);
      break;
    case "steer": // The manifest does not declare it, so it has no effect.
  }
}

function initialize({ asksAboutAll, tools }: ClaudeCodeDialectOptions, writer: Writer): void {
  const fields = { ...(asksAboutAll && askClaudeCodeAboutAll), ...offerClaudeCodeTools(tools) };
  if (Object.keys(fields).length > 0)
    writer.effect({ type: "write", text: formatClaudeCodeInitialize(initializeId, fields) });
}

function interrupt(writer: Writer): void {
  const interruptCount = writer.state.interrupts + 1;
  writer.set({ interrupts: interruptCount, interrupting: true });
  writer.effect({ type: "write", text: formatClaudeCodeInput.interrupt(`interrupt-${interruptCount}`) });
}

function observe(options: ClaudeCodeDialectOptions, writer: Writer, observation: Observation): void {
  if (observation.kind === "exited") keepUnfinishedAnswers(writer.set({ ...noTurn, current: null, queue: [] }));
  if (observation.kind === "tool-result") answerClaudeCodeTool(writer, observation);
  if (observation.kind !== "line") return;
  if (observation.stream === "err") {
    writer.warn(observation.text);
    // Older versions report an unknown conversation only by this line, and exit.
    const category = categorizeClaudeCodeError(observation.text);
    if (category !== "session-not-found" || writer.state.expectedSessionId === null) return;
    writer.set({ failure: { category, message: observation.text, isFinal: true } });
    return;
  }
  const parsed = ClaudeCodeMessage.safeParse(parseJsonLine(observation.text));
  if (!parsed.success || !handleMessage(options, writer, parsed.data)) writer.unrecognized(observation.text);
}

function handleMessage(options: ClaudeCodeDialectOptions, writer: Writer, message: ClaudeCodeMessage): boolean {
  switch (message.type) {
    case "system":
      return handleClaudeCodeSystemMessage(writer, message, options.retryDeadline);
    case "stream_event": {
      const parent = message.parent_tool_use_id == null ? {} : { parent: message.parent_tool_use_id };
      const { text, thinking } = message.event.delta ?? {};
      if (text !== undefined) writer.delta({ type: "text.delta", text, ...parent });
      if (thinking !== undefined) writer.delta({ type: "reasoning.delta", text: thinking, ...parent });
      const isStart = message.event.type === "message_start";
      if (isStart && writer.state.current === null) agentTurnStarted(writer);
      if (isStart) writer.set({ answering: true });
      reportStreamedAnswer(writer, message);
      return true;
    }
    case "assistant":
      writeClaudeCodeAnswer(writer, message);
      return true;
    case "user":
      if (message.parent_tool_use_id != null) reportNewestAnswer(writer, message.parent_tool_use_id);
      endClaudeCodeCalls(writer, {
        content: message.message.content,
        toolResult: message.tool_use_result,
        wasNotExecuted: (call) =>
          message.tool_result_meta?.find(({ id }) => id === call)?.non_execution_kind !== undefined,
      });
      return true;
    case "tool_progress":
      reportClaudeCodeProgress(writer, message);
      return true;
    case "rate_limit_event":
      return reportClaudeCodeQuota(writer, message);
    case "result":
      handleResult(writer, message);
      return true;
    case "control_request":
      return handleClaudeCodeRequest(writer, message, options.tools);
    case "control_cancel_request":
      cancelClaudeCodeDecision(writer, message.request_id);
      return true;
    case "control_response":
      if (message.response.subtype === "success") return true;
      if (message.response.request_id === initializeId) endUninitialized(writer);
      return false;
    default:
      return true;
  }
}

function handleResult(writer: Writer, result: ClaudeCodeMessageOf<"result">): void {
  const { failure, interrupting, answering } = writer.state;
  for (const reading of parseClaudeCodeUsage(result, writer.state.answeredUsage)) reportUsage(writer, reading);
  writer.set(noAnswers);
  // Only versions that also report differences report totals of the conversation; older ones, of the process.
  if (result.model_usage_since_last_result)
    writer.set({ conversationUsage: toUsageByModel(result.modelUsage ?? {}), terminalUsage: [] });
  const errorText = result.errors?.join(" ") || (result.result ?? result.subtype);
  const wasAborted = interrupting || (result.terminal_reason ?? "").startsWith("aborted");
  // Older versions report an interrupted turn neither as an error nor as a success.
  const isUnsuccessful = result.is_error || result.subtype !== "success";
  let outcome: "completed" | "interrupted" | "limited" | "failed" = "completed";
  if (result.subtype === "error_max_turns") outcome = "limited";
  else if (isUnsuccessful && wasAborted && !failure?.isFinal) outcome = "interrupted";
  else if (isUnsuccessful) {
    outcome = "failed";
    const reportedCategory = categorizeClaudeCodeError(errorText, result.api_error_status, answering);
    const category = reportedCategory === "unknown" ? (failure?.category ?? reportedCategory) : reportedCategory;
    writer.raise(failure?.isFinal ? failure : { category, message: errorText });
  }
  const { pendingDecisions } = writer.state;
  writer.set({ calls: noCalls, pendingDecisions: emptyKeyedMap, failure: null, answering: false });
  finishTurn(writer, outcome, createMessageEffect);
  if (outcome !== "interrupted") requestClaudeCodeDecisionsAgain(writer, pendingDecisions);
}

/** Ends a program that did not accept the hook or the tools: its calls would not be asked about, or fail. */
function endUninitialized(writer: Writer): void {
  const message = "Claude Code did not accept what the session needs: a hook that asks before each call, or tools.";
  writer.raise({ category: "not-started", message }).effect({ type: "kill" });
}
