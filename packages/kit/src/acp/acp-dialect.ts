import { emptyKeyedMap, type Dialect, type Observation, type AgentCommand } from "@fairlead/contract";
import { noCalls } from "../calls.ts";
import { rpc, type RpcMessage } from "../json-rpc.ts";
import { reportUsage } from "../meter.ts";
import { submit } from "../conversation-state.ts";
import { defineDialect } from "../define-dialect.ts";
import {
  openAcpSession,
  acpSessionOpened,
  sendInitialize,
  handleInitializeResult,
  sessionSetupFailed,
  markReadyIfComplete,
  replayEndAlarm,
  awaitReplayEnd,
} from "./session-setup.ts";
import { answerPermission, handlePermissionRequest } from "./permission.ts";
import {
  acpWatchdog,
  cancelTurn,
  createPromptSender,
  endAcpTurn,
  onWatchdogAlarm,
  promptFailed,
  promptFinished,
  reportModelRetry,
} from "./prompt.ts";
import { appendChunk, flushPartialMessage } from "./partial-message.ts";
import {
  isPrompting,
  initialAcpState,
  rejectAcpRequest,
  type AcpDialectOptions,
  type AcpState,
  type AcpWriter,
} from "./acp-state.ts";
import { answerAcpTool, useAcpTool, useToolMethod } from "./host-tools.ts";
import { applyCallUpdate } from "./tool-calls.ts";
import { PromptResult, SessionUpdateParams, type SessionUpdate } from "./wire.ts";

const maxStderrLineLength = 500;
const maxStderrLines = 5;

/** Creates the client side of the Agent Client Protocol, version 1: one process, one conversation, many turns. */
export function acpDialect(dialectOptions: AcpDialectOptions): Dialect<AcpState> {
  const cost = { before: dialectOptions.resumeSessionId === null ? 0 : null, now: null };
  return defineDialect<AcpState>({
    initialState: { ...initialAcpState, cost },
    observe: (writer, observation) => observeAgent(dialectOptions, writer, observation),
    handle: (writer, command) => handleCommand(dialectOptions, writer, command),
  });
}

function handleCommand(dialectOptions: AcpDialectOptions, writer: AcpWriter, command: AgentCommand): void {
  const { agentSessionId, current, phase } = writer.state;
  switch (command.type) {
    case "open":
      for (const message of dialectOptions.startupWarnings) writer.warn(message);
      launchAgent(dialectOptions, writer, dialectOptions.resumeSessionId);
      break;
    case "resume":
      // Without an id there is nothing to prove: the conversation had not started.
      if (agentSessionId === null) writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
      launchAgent(dialectOptions, writer, agentSessionId);
      break;
    case "send":
      submit(writer, command, createPromptSender(writer, dialectOptions));
      break;
    case "answer":
      answerPermission(writer, command.decision, command.answer);
      break;
    case "interrupt":
      if (phase === "ready") cancelTurn(writer);
      else endAcpTurn(writer, dialectOptions, "interrupted");
      break;
    case "pause":
    case "end":
      writer.set({ exitRequested: true });
      if (current !== null) cancelTurn(writer);
      break;
    case "steer": // The protocol does not support it.
  }
}

function launchAgent(dialectOptions: AcpDialectOptions, writer: AcpWriter, expectedSessionId: string | null): void {
  writer.set({ expectedSessionId, phase: "starting", exitRequested: false, stderrTail: [] });
  writer.effect({ type: "launch", command: dialectOptions.launch() });
  sendInitialize(writer);
}

function observeAgent(dialectOptions: AcpDialectOptions, writer: AcpWriter, observation: Observation): void {
  switch (observation.kind) {
    case "line":
      if (observation.stream === "err") onStderr(dialectOptions, writer, observation.text);
      else if (!handleLine(dialectOptions, writer, observation.text)) writer.unrecognized(observation.text);
      break;
    case "alarm":
      if (observation.name === acpWatchdog.alarm) onWatchdogAlarm(writer, dialectOptions);
      else if (observation.name === acpWatchdog.stopAlarm) acpWatchdog.killUnresponsive(writer);
      else if (observation.name === replayEndAlarm && writer.state.phase === "settling")
        markReadyIfComplete(writer, dialectOptions);
      break;
    case "exited":
      onExit(writer);
      break;
    case "tool-result":
      answerAcpTool(writer, observation);
      break;
    case "launched":
  }
}

/** Keeps a line of standard error for the case that the agent dies, or handles it as a side-channel message. */
function onStderr(dialectOptions: AcpDialectOptions, writer: AcpWriter, text: string): void {
  const sideMessage = dialectOptions.quirks.sideChannel?.(text) ?? null;
  if (sideMessage === null) {
    if (text.trim() === "") return;
    writer.set({ stderrTail: [...writer.state.stderrTail, text.slice(0, maxStderrLineLength)].slice(-maxStderrLines) });
  } else if (sideMessage.type === "trouble")
    reportModelRetry(writer, dialectOptions, sideMessage.status, sideMessage.message);
  else if (sideMessage.type === "failure") writer.set({ failureStatus: sideMessage.status });
  else {
    reportUsage(writer, sideMessage.reading);
    acpWatchdog.modelAnswered(writer);
  }
}

function onExit(writer: AcpWriter): void {
  const { stderrTail, exitRequested, failure, current } = writer.state;
  flushPartialMessage(writer);
  // Otherwise the alarms of a turn that a pause cut off would end the process after the resume.
  if (current !== null)
    for (const name of [acpWatchdog.alarm, acpWatchdog.stopAlarm, replayEndAlarm])
      writer.effect({ type: "disarm", name });
  if (failure?.isFinal) writer.raise(failure);
  if (!exitRequested && stderrTail.length > 0) {
    writer.warn(`The agent's process ended. Its last output on standard error: ${stderrTail.join("\n")}`);
  }
  const { lastId } = writer.state.rpc;
  writer.set({
    rpc: { lastId, pending: {} },
    current: null,
    queue: [],
    calls: noCalls,
    pendingDecisions: emptyKeyedMap,
    decisionsByRequest: emptyKeyedMap,
    callStates: emptyKeyedMap,
    failure: null,
  });
}

function handleLine(dialectOptions: AcpDialectOptions, writer: AcpWriter, line: string): boolean {
  const { rpc: next, message } = rpc.receive(writer.state.rpc, line);
  if (message === null) return false;
  writer.set({ rpc: next });
  switch (message.kind) {
    case "notice":
      return message.method === "session/update"
        ? handleSessionUpdate(dialectOptions, writer, message.params)
        : message.method.startsWith("_");
    case "request":
      if (message.method === "session/request_permission") {
        writer.set({ activeSinceAlarm: true });
        return handlePermissionRequest(writer, dialectOptions, message.id, message.params);
      }
      if (message.method === useToolMethod && useAcpTool(writer, message.id, message.params)) return true;
      rejectAcpRequest(writer, message.id, message.method);
      // Some agents request files although the client offers none, and then use their own tools.
      return /^(fs|terminal)\//.test(message.method);
    case "result":
      return handleResult(dialectOptions, writer, message);
    case "failure":
      if (message.method === "session/prompt") promptFailed(writer, dialectOptions, message.error);
      else sessionSetupFailed(writer, dialectOptions, message);
      return true;
    default:
      return message satisfies never;
  }
}

function handleResult(
  dialectOptions: AcpDialectOptions,
  writer: AcpWriter,
  response: Extract<RpcMessage, { kind: "result" }>,
): boolean {
  switch (response.method) {
    case "initialize":
      return handleInitializeResult(writer, dialectOptions, response.result);
    case "authenticate":
      openAcpSession(writer, dialectOptions, response.about, "signed-in");
      return true;
    case "session/new":
    case "session/load":
    case "session/resume":
      return acpSessionOpened(writer, dialectOptions, response.method, response.result);
    case "session/prompt": {
      const { data } = PromptResult.safeParse(response.result);
      promptFinished(writer, dialectOptions, data ?? { stopReason: "unreadable" });
      return data !== undefined;
    }
    default:
      if (writer.state.phase === "starting") markReadyIfComplete(writer, dialectOptions);
      return true;
  }
}

function handleSessionUpdate(dialectOptions: AcpDialectOptions, writer: AcpWriter, params: unknown): boolean {
  const update = SessionUpdateParams.safeParse(params).data?.update;
  if (update === undefined) return false;
  if (update.sessionUpdate === "usage_update") recordCost(writer, update.cost?.amount);
  // Before and between prompts, updates only replay old messages or belong to no turn.
  if (writer.state.phase === "settling") awaitReplayEnd(writer, dialectOptions);
  else if (isPrompting(writer.state)) applyUpdate(dialectOptions, writer, update);
  return true;
}

function applyUpdate(dialectOptions: AcpDialectOptions, writer: AcpWriter, update: SessionUpdate): void {
  writer.set({ activeSinceAlarm: true });
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      appendChunk(writer, update, dialectOptions.quirks.thoughtPrefix);
      break;
    case "tool_call":
    case "tool_call_update":
      acpWatchdog.modelAnswered(writer);
      applyCallUpdate(writer, dialectOptions, update);
      break;
    case "plan": {
      flushPartialMessage(writer);
      const states = { pending: "pending", in_progress: "active", completed: "done" } as const;
      const steps = update.entries.map(({ content, status }) => ({ text: content, state: states[status] }));
      writer.event({ type: "plan.updated", steps });
      break;
    }
    default: // Belongs to the session, not to the turn.
  }
}

/** Records the agent's running cost total. */
function recordCost(writer: AcpWriter, now: number | undefined): void {
  if (now !== undefined) writer.set({ cost: { ...writer.state.cost, now } });
}
