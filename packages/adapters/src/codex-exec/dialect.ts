import { keyedMap } from "@fairlead/contract";
import type { AgentCommand, Continuation, Dialect, Effect, Exit, Observation, LaunchCommand } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, dialectWithWatchdog, finishTurn } from "@fairlead/kit";
import { initialConversation, noCalls, parseJsonLine, planConversation, reportUsage } from "@fairlead/kit";
import { sessionIdentified, submit, watchdog } from "@fairlead/kit";
import type { UserMessage, Meters, WatchdogState, TransitionWriter } from "@fairlead/kit";
import { describeCodexCall } from "./actions.ts";
import { readCodexTranscript, type CodexTranscriptState } from "./transcript.ts";
import {
  toCodexFileChanges,
  toCodexExecFailure,
  CodexExecLine,
  toCodexExecUsageReading,
  toCodexExecCallResult,
  toCodexExecItemEvents,
  findCodexExecTool,
  type CodexExecItem,
} from "./wire.ts";

export interface CodexExecState extends WatchdogState, CodexTranscriptState {
  readonly meters: Meters;
  /** Whether Codex has reported the end of the turn. The turn ends when the process exits. */
  readonly done: boolean;
}

export interface CodexExecDialectOptions {
  /** Returns the command that sends a message, in an existing conversation or in a new one. */
  readonly launchCommand: (text: string, agentSessionId: string | null) => LaunchCommand;
  readonly continues: Continuation | null;
  /** The model from the settings, if any. Codex does not report which model it uses. */
  readonly model: string | null;
  readonly retryDeadline: number;
}

type Writer = TransitionWriter<CodexExecState>;
const noTurn = { calls: noCalls, pendingDecisions: {}, failure: null, done: false } as const;
const noApprovalsNotice = "Codex cannot ask for approvals over exec. It does only what its mode allows.";
const uncountedUsageNotice =
  "The earlier usage of this conversation is unknown, so the usage of its first turn here is not counted.";
/** Codex prints this at every start, although its stdin is closed. */
const stdinNotice = "Reading additional input from stdin...";

/** Creates the dialect that launches a process for each message. */
export function createCodexExecDialect(options: CodexExecDialectOptions): Dialect<CodexExecState> {
  return dialectWithWatchdog<CodexExecState>({
    initialState: { ...initialConversation, ...noTurn, activeSinceAlarm: false, meters: {} },
    deadline: options.retryDeadline,
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
    interruptTurn: interrupt,
    readTranscript: (writer, part) =>
      readCodexTranscript(writer, part, (usage) => toCodexExecUsageReading(usage, options.model ?? "default")),
  });
}

function handle(options: CodexExecDialectOptions, writer: Writer, command: AgentCommand): void {
  if (command.type === "open" || command.type === "resume") {
    const { agentSessionId } = planConversation(writer, command.type, options.continues);
    if (command.type === "resume") return;
    writer.warn(noApprovalsNotice);
    if (agentSessionId !== null) writer.warn(uncountedUsageNotice);
  } else if (command.type === "send") submit(writer, command, createMessageSender(options, writer));
  // Steering and answers are not declared. A session that fell back from the app server may still receive them.
  else if (command.type !== "steer" && command.type !== "answer") interrupt(writer);
}

function createMessageSender(options: CodexExecDialectOptions, writer: Writer): (message: UserMessage) => Effect {
  const agentSessionId = writer.state.agentSessionId ?? options.continues?.agentSessionId ?? null;
  return ({ text }) => ({ type: "launch", command: options.launchCommand(text, agentSessionId) });
}

function interrupt(writer: Writer): void {
  if (writer.state.current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

function observe(options: CodexExecDialectOptions, writer: Writer, observation: Observation): void {
  if (observation.kind === "exited") handleExit(options, writer, observation.exit);
  if (observation.kind !== "line") return;
  if (observation.stream === "err") handleStderr(writer, observation.text);
  else if (!handleLine(options, writer, observation.text)) writer.unrecognized(observation.text);
}

function handleStderr(writer: Writer, text: string): void {
  const failure = toCodexExecFailure(text);
  if (failure.category === "session-not-found") writer.set({ failure: { ...failure, isFinal: true } });
  else if (text !== stdinNotice) writer.warn(text);
}

function handleLine(options: CodexExecDialectOptions, writer: Writer, text: string): boolean {
  const line = CodexExecLine.safeParse(parseJsonLine(text)).data;
  const { current } = writer.state;
  if (line === undefined || current === null) return false;
  const { type, thread_id: thread, item, usage, error, message } = line;
  if (type === "thread.started" && thread !== "") sessionIdentified(writer, thread, options.model);
  else if (type === "error") {
    watchdog.modelRetrying(writer, options.retryDeadline, toCodexExecFailure(message));
    writer.warn(message);
  } else if (type === "turn.failed") {
    const failureText = error?.message ?? "Codex gave no reason.";
    if (!writer.state.failure?.isFinal) writer.set({ failure: { ...toCodexExecFailure(failureText), isFinal: true } });
  } else if (type === "turn.completed") {
    writer.set({ done: true, failure: null });
    const countedBefore = options.continues?.agentSessionId == null ? {} : ({ counted: "before" } as const);
    if (usage !== undefined)
      reportUsage(writer, { ...toCodexExecUsageReading(usage, options.model ?? "default"), ...countedBefore });
  } else if (/^item\.(started|updated|completed)$/.test(type) && item !== undefined) {
    watchdog.modelAnswered(writer);
    // Each process numbers its items from 0, so the turn is part of the call's id.
    return handleItem(writer, item, `${current.turn}/${item.id}`, type === "item.completed");
  } else return type === "turn.started";
  return true;
}

function handleItem(writer: Writer, item: CodexExecItem, call: string, isCompleted: boolean): boolean {
  const tool = findCodexExecTool(item);
  if (tool === null) {
    const events = isCompleted ? toCodexExecItemEvents(item) : [];
    writer.event(...(events ?? []));
    return events !== null;
  }
  if (!keyedMap.has(writer.state.calls, call))
    callRequested(writer, { call, ...tool, action: describeCodexCall(tool.name, tool.input) });
  callStarted(writer, call);
  if (!isCompleted) return true;
  const result = toCodexExecCallResult(item);
  if (result.reason === undefined) writer.event(...toCodexFileChanges(item.changes, call));
  callEnded(writer, call, result);
  return true;
}

function handleExit(options: CodexExecDialectOptions, writer: Writer, exit: Exit): void {
  const { current, failure, interrupting, done } = writer.state;
  if (current === null) return;
  const diedInTurn = !failure?.isFinal && !interrupting && !done;
  if (diedInTurn) {
    const cause = exit.error ?? exit.signal ?? `exit code ${exit.code}`;
    const category = exit.error === undefined ? "agent-died" : "not-started";
    writer.raise({ category, message: `The process exited during a turn: ${cause}.` });
  }
  const regularOutcome = interrupting ? "interrupted" : "completed";
  writer.set(noTurn);
  finishTurn(writer, diedInTurn || failure?.isFinal ? "failed" : regularOutcome, createMessageSender(options, writer));
}
