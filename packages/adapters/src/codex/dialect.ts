import { emptyKeyedMap, keyedMap, type KeyedMap } from "@fairlead/contract";
import type { AgentCommand, Continuation, Dialect } from "@fairlead/contract";
import type { Effect, EventOf, LaunchCommand, Observation, ToolOffer } from "@fairlead/contract";
import { agentTurnStarted, createRpcRequest as request } from "@fairlead/kit";
import { dialectWithWatchdog, finishTurn, noCalls } from "@fairlead/kit";
import { flushQueue, initialConversation, initialRpc, jsonLine, planConversation } from "@fairlead/kit";
import { receiveRpcMessage, reportQuota, reportUsage, sessionIdentified, submit } from "@fairlead/kit";
import { watchdog, withdrawDecision } from "@fairlead/kit";
import type { UserMessage, Meters, Quotas, WatchdogState, RpcState, RpcMessage, TransitionWriter } from "@fairlead/kit";
import { readCodexTranscript, type CodexTranscriptState } from "../codex-exec/transcript.ts";
import { toCodexEvents } from "./events.ts";
import { toCodexFailure } from "./failure.ts";
import {
  codexProgressMethods,
  handleCodexItem,
  handleCodexProgress,
  handleRawCodexItem,
  writeCodexEvents,
} from "./items.ts";
import { answerCodexDecision, handleCodexRequest } from "./decisions.ts";
import { answerCodexTool, offerCodexTools } from "./host-tools.ts";
import type { CodexTool } from "./tools.ts";
import { toQuotaReadings } from "./quota.ts";
import { toThreadUsageReading, toTranscriptUsageReading } from "./usage.ts";
import * as wire from "./wire.ts";

export interface CodexState extends WatchdogState, CodexTranscriptState {
  readonly rpc: RpcState;
  /** The provider of the model; null until the process has opened its thread. Until then messages are queued. */
  readonly provider: string | null;
  /** The provider of the last process. States of older versions lack it. */
  readonly lastProvider?: string;
  /** Codex's id of the turn; null until Codex has started it. */
  readonly turnId: string | null;
  /** The calls that the model has made in this turn; null once their `tool.requested` is emitted. */
  readonly requestedCalls: KeyedMap<CodexTool | null>;
  readonly pendingDecisions: KeyedMap<wire.CodexPendingRequest>;
  /** The open decisions by the ids of their requests. */
  readonly decisionsByRequest?: KeyedMap<string>;
  readonly meters: Meters;
  readonly quotas?: Quotas;
}

export interface CodexDialectOptions {
  readonly launchCommand: LaunchCommand;
  /** The parameters for opening a thread, new or existing. */
  readonly threadParams: object;
  readonly continues: Continuation | null;
  /** The tools that Codex is offered. */
  readonly tools: readonly ToolOffer[];
  /** The names of the MCP servers that the parameters for opening a thread name. */
  readonly servers: readonly string[];
  readonly retryDeadline: number;
}

type Writer = TransitionWriter<CodexState>;
type Outcome = EventOf<"turn.ended">["outcome"];
const cleanTerminalsMethod = "thread/backgroundTerminals/clean";
const openingMethods = /^(initialize|thread\/(start|resume|fork))$/;
const noTurn = {
  turnId: null,
  calls: noCalls,
  requestedCalls: emptyKeyedMap,
  pendingDecisions: emptyKeyedMap,
  decisionsByRequest: emptyKeyedMap,
  failure: null,
} as const;
const noProcess = {
  ...noTurn,
  rpc: initialRpc,
  provider: null,
  current: null,
  queue: [],
  interrupting: false,
} as const;

export function createCodexDialect(options: CodexDialectOptions): Dialect<CodexState> {
  return dialectWithWatchdog<CodexState>({
    initialState: { ...initialConversation, ...noProcess, activeSinceAlarm: false, meters: {} },
    deadline: options.retryDeadline,
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
    interruptTurn: interrupt,
    readTranscript: (writer, part) =>
      readCodexTranscript(writer, part, (usage, model) => toTranscriptUsageReading(writer.state, usage, model)),
    // A command continues in the background while Codex asks its model what to do next. Silence during one counts.
    isBusy: ({ pendingDecisions, calls }) =>
      keyedMap.size(pendingDecisions) > 0 || keyedMap.values(calls).some(({ name }) => name !== "exec_command"),
  });
}

function handle(options: CodexDialectOptions, writer: Writer, command: AgentCommand): void {
  const { current, provider, queue } = writer.state;
  if (command.type === "open" || command.type === "resume") {
    writer.set({ quotas: {} }); // so that they are reported again: the session waits for none now
    planConversation(writer, command.type, options.continues);
    writer.effect(
      { type: "launch", command: options.launchCommand },
      request(writer, "initialize", wire.codexInitializeParams),
    );
  } else if (command.type === "send") {
    if (provider !== null) submit(writer, command, createMessageSender(writer));
    else writer.set({ queue: [...queue, { turn: command.turn, text: command.text }] });
  } else if (command.type === "steer") steer(writer, command.text, command.text);
  else if (command.type === "answer") answerCodexDecision(writer, command, steer);
  else if (current !== null) interrupt(writer);
}

function createMessageSender(writer: Writer): (message: UserMessage) => Effect {
  return ({ text }) =>
    request(writer, "turn/start", { threadId: writer.state.agentSessionId, input: wire.toCodexInput(text) });
}

function steer(writer: Writer, text: string, context: string): void {
  const { agentSessionId: threadId, turnId: expectedTurnId } = writer.state;
  writer.effect(request(writer, "turn/steer", { threadId, expectedTurnId, input: wire.toCodexInput(text) }, context));
}

/** Interrupts the turn. Codex refuses this before it has started the turn; `turn/started` then sends the request. */
function interrupt(writer: Writer): void {
  const { agentSessionId: threadId, turnId } = writer.state;
  writer.set({ interrupting: true });
  if (turnId !== null) writer.effect(request(writer, "turn/interrupt", { threadId, turnId }));
}

function observe(options: CodexDialectOptions, writer: Writer, observation: Observation): void {
  if (observation.kind === "exited") writer.set(noProcess);
  if (observation.kind === "tool-result") answerCodexTool(writer, observation);
  if (observation.kind !== "line") return;
  if (observation.stream === "err") writer.warn(observation.text);
  else if (!handleLine(options, writer, observation.text)) writer.unrecognized(observation.text);
}

function handleLine(options: CodexDialectOptions, writer: Writer, line: string): boolean {
  const rpcMessage = receiveRpcMessage(writer, line);
  if (rpcMessage?.kind === "result") return handleRpcResult(options, writer, rpcMessage);
  if (rpcMessage?.kind === "failure") return handleRpcFailure(writer, rpcMessage);
  if (rpcMessage?.kind === "request") return handleCodexRequest(writer, rpcMessage, options.servers);
  const notification = wire.CodexNotification.safeParse(rpcMessage?.params ?? {}).data;
  return (
    rpcMessage !== null &&
    notification !== undefined &&
    handleNotification(options, writer, rpcMessage.method, notification)
  );
}

function handleRpcResult(
  options: CodexDialectOptions,
  writer: Writer,
  { method, about: context, result }: RpcMessage & { kind: "result" },
): boolean {
  const { current, expectedSessionId: threadId, forking } = writer.state;
  if (method === "initialize") {
    writer.effect({ type: "write", text: jsonLine({ method: "initialized" }) });
    // Without raw events Codex does not report commands that its sandbox stops. A resumed thread does not support them.
    const newThread = { experimentalRawEvents: true, ...offerCodexTools(options.tools) };
    const threadOptions = threadId === null ? newThread : { threadId, excludeTurns: true };
    const openMethod = threadId === null ? "start" : forking ? "fork" : "resume";
    const opening = request(writer, `thread/${openMethod}`, { ...options.threadParams, ...threadOptions });
    // The servers' variables are secret.
    writer.effect(options.servers.length > 0 && opening.type === "write" ? { ...opening, resolves: true } : opening);
  } else if (openingMethods.test(method)) {
    const opened = wire.CodexThread.safeParse(result).data;
    if (opened === undefined) return false;
    sessionIdentified(writer, opened.thread.id, opened.model);
    const { modelProvider } = opened;
    flushQueue(writer.set({ provider: modelProvider, lastProvider: modelProvider }), createMessageSender(writer));
  } else if (method === "turn/steer" && context !== "" && current !== null) {
    writer.event({ type: "turn.steered", turn: current.turn, text: context });
  } else if (method === cleanTerminalsMethod) endTurn(writer, context as Outcome);
  return true;
}

function handleRpcFailure(
  writer: Writer,
  { method, about: context, error }: RpcMessage & { kind: "failure" },
): boolean {
  const failure = toCodexFailure({ message: error.message });
  if (openingMethods.test(method)) writer.set({ queue: [] }).raise(failure).effect({ type: "kill" });
  else if (method === "turn/start") endTurn(writer.raise(failure), "failed");
  else writer.warn(`${method}: ${failure.message}`);
  if (method === cleanTerminalsMethod) endTurn(writer, context as Outcome);
  return true;
}

function handleNotification(
  options: CodexDialectOptions,
  writer: Writer,
  method: string,
  notification: wire.CodexNotification,
): boolean {
  const { agentSessionId, current, turnId, interrupting, provider, model } = writer.state;
  const { threadId, delta: text, turn, tokenUsage } = notification;
  // Codex reports its sub-agents' threads too. Only their calls and tokens become events.
  const isOwnThread = threadId == null || threadId === agentSessionId;
  if (method === "item/started" || method === "item/completed") {
    const item = wire.CodexItem.safeParse(notification.item).data;
    // The calls of an earlier turn have ended with it.
    if (item === undefined || current === null || (isOwnThread && notification.turnId !== turnId))
      return item !== undefined;
    return handleCodexItem(writer, item, {
      isOwnThread,
      isCompleted: method === "item/completed",
      servers: options.servers,
    });
  }
  if (codexProgressMethods.test(method)) return handleCodexProgress(writer, notification);
  if (method === "thread/tokenUsage/updated" && tokenUsage) {
    const reading = toThreadUsageReading(tokenUsage.total, provider ?? "", model ?? "");
    const counter = threadId ?? agentSessionId ?? "";
    reportUsage(writer, { ...reading, counter, ...(turnId === null && { counted: "before" }) });
  } else if (method === "account/rateLimits/updated" && notification.rateLimits) {
    for (const reading of toQuotaReadings(notification.rateLimits)) reportQuota(writer, reading);
  } else if (!isOwnThread) return true;
  else if (method === "turn/started" && turn) {
    if (current === null) agentTurnStarted(writer);
    writer.set({ turnId: turn.id });
    if (interrupting) interrupt(writer);
  } else if (method === "turn/completed" && turn) handleTurnCompleted(writer, turn);
  else if (method === "item/agentMessage/delta") writer.delta({ type: "text.delta", text });
  else if (method === "item/reasoning/summaryTextDelta") writer.delta({ type: "reasoning.delta", text });
  else if (method === "rawResponseItem/completed") handleRawCodexItem(writer, notification.item);
  else if (method === "error" && notification.error) {
    // Codex reports a final error again at the end of the turn.
    if (notification.willRetry !== true || writer.state.failure?.isFinal) return true;
    const failure = toCodexFailure(notification.error);
    watchdog.modelRetrying(writer, options.retryDeadline, failure);
    writer.warn(failure.message);
  } else if (method === "serverRequest/resolved")
    withdrawDecision<wire.CodexPendingRequest, CodexState>(writer, notification.requestId);
  else return writeCodexEvents(writer, toCodexEvents(method, notification));
  return true;
}

function handleTurnCompleted(writer: Writer, { status, error }: NonNullable<wire.CodexNotification["turn"]>): void {
  const { calls, agentSessionId: threadId, failure: retryFailure } = writer.state;
  const wasInterrupted = status === "interrupted";
  const failure =
    status === "failed" ? toCodexFailure(error) : wasInterrupted && retryFailure?.isFinal ? retryFailure : null;
  if (failure) writer.raise(failure);
  const outcome = failure ? "failed" : wasInterrupted ? "interrupted" : "completed";
  // An interrupted command outlives its turn as a background terminal.
  const hasRunningCommand = keyedMap.values(calls).some(({ name }) => name === "exec_command");
  if (!wasInterrupted || !hasRunningCommand) endTurn(writer, outcome);
  else writer.set({ failure: null }).effect(request(writer, cleanTerminalsMethod, { threadId }, outcome));
}

function endTurn(writer: Writer, outcome: Outcome): void {
  writer.set(noTurn);
  finishTurn(writer, outcome, createMessageSender(writer));
}
