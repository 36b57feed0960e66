import type { AgentCommand, Dialect, Effect, Exit, LaunchCommand, Observation } from "@fairlead/contract";
import { appendText, callEnded, callRequested, dialectWithWatchdog, endText, finishTurn } from "@fairlead/kit";
import { initialConversation, noPartialText, type PartialText } from "@fairlead/kit";
import { noCalls, parseJsonLine, reportUsage, sessionIdentified, submit } from "@fairlead/kit";
import type { Meters, TransitionWriter, UserMessage, WatchdogState } from "@fairlead/kit";
import { describeGeminiCall } from "./actions.ts";
import { categorizeGeminiError, GeminiMessage, toGeminiUsageReadings } from "./wire.ts";

/** The state of a conversation with a version that lacks ACP. */
export interface GeminiState extends WatchdogState {
  readonly meters: Meters;
  /** The text of the answer so far; its end is not reported. */
  readonly text: PartialText;
  /** The agent's own report at the end of the turn; null until then. */
  readonly result: { readonly error: string | null } | null;
  readonly stderrTail: string;
}

export interface GeminiDialectOptions {
  /** Returns the command that sends a message, in an existing conversation or in a new one. */
  readonly launchCommand: (text: string, agentSessionId: string | null) => LaunchCommand;
  readonly continues: string | null;
  readonly retryDeadline: number;
}

type Writer = TransitionWriter<GeminiState>;
const noTurn = {
  calls: noCalls,
  pendingDecisions: {},
  failure: null,
  text: noPartialText,
  result: null,
  stderrTail: "",
} as const;
const noApprovalsNotice =
  "This version does not support --acp. It cannot ask for approvals and does only what its mode allows.";

/** Creates the dialect that launches a process for each message. */
export function createGeminiDialect(options: GeminiDialectOptions): Dialect<GeminiState> {
  return dialectWithWatchdog<GeminiState>({
    initialState: {
      ...initialConversation,
      ...noTurn,
      meters: {},
      activeSinceAlarm: false,
      expectedSessionId: options.continues,
    },
    deadline: options.retryDeadline,
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
    interruptTurn: stopSilentProcess,
    // An open call does not excuse silence: the deadline applies to tools as well as to the model.
    isBusy: () => false,
  });
}

function handle(options: GeminiDialectOptions, writer: Writer, command: AgentCommand): void {
  const { agentSessionId } = writer.state;
  switch (command.type) {
    case "open":
      writer.warn(noApprovalsNotice);
      break;
    case "resume":
      if (agentSessionId === null) writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
      writer.set({ expectedSessionId: agentSessionId });
      break;
    case "send":
      submit(writer, command, createMessageSender(options, writer));
      break;
    case "interrupt":
    case "pause":
    case "end":
      interrupt(writer);
      break;
    case "answer":
    case "steer": // The fallback does not declare these, so they have no effect.
  }
}

function createMessageSender(options: GeminiDialectOptions, writer: Writer): (message: UserMessage) => Effect {
  const agentSessionId = writer.state.agentSessionId ?? options.continues;
  return ({ text }) => ({ type: "launch", command: options.launchCommand(text, agentSessionId) });
}

function interrupt(writer: Writer): void {
  if (writer.state.current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

/** Stops a process that the watchdog found silent. A turn that has a result keeps it: only the exit is overdue. */
function stopSilentProcess(writer: Writer): void {
  if (writer.state.result === null) interrupt(writer);
  else writer.set({ failure: null }).effect({ type: "kill" });
}

function observe(options: GeminiDialectOptions, writer: Writer, observation: Observation): void {
  if (observation.kind === "exited") handleExit(options, writer, observation.exit);
  if (observation.kind !== "line") return;
  if (observation.stream === "err") {
    writer.set({ stderrTail: observation.text.slice(0, 500) || writer.state.stderrTail });
    return;
  }
  const message = GeminiMessage.safeParse(parseJsonLine(observation.text)).data;
  if (message === undefined) writer.unrecognized(observation.text);
  else handleMessage(writer, message);
}

function handleMessage(writer: Writer, message: GeminiMessage): void {
  if (message.type !== "message") endMessage(writer);
  switch (message.type) {
    case "init":
      sessionIdentified(writer, message.session_id, message.model);
      break;
    case "message":
      if (message.role !== "assistant") break;
      writer.set({ text: appendText(writer, streamedText(writer), message.content) });
      break;
    case "tool_use": {
      const { tool_id: call, tool_name: name, parameters: input } = message;
      callRequested(writer, { call, name, input, action: describeGeminiCall(name, input) });
      break;
    }
    case "tool_result": {
      const reason = message.status === "success" ? undefined : "failed";
      callEnded(writer, message.tool_id, { output: message.output, reason });
      break;
    }
    case "result":
      for (const reading of toGeminiUsageReadings(message)) reportUsage(writer, reading);
      writer.set({ result: { error: message.error?.message ?? null } });
      break;
    default:
      message satisfies never;
  }
}

function endMessage(writer: Writer): void {
  endText(writer, streamedText(writer));
  writer.set({ text: noPartialText });
}

/** The text so far. An older version stored it as a string. */
function streamedText({ state: { text } }: Writer): PartialText {
  return typeof text === "string" ? { text } : text;
}

function handleExit(options: GeminiDialectOptions, writer: Writer, exit: Exit): void {
  const { current, interrupting, failure, result } = writer.state;
  if (current === null) return;
  endMessage(writer);
  // The watchdog interrupts the turn too, and raises its failure before this function runs.
  const timedOut = failure?.isFinal === true;
  const isCompleted = !interrupting && result?.error === null;
  if (!timedOut && !interrupting && !isCompleted) raiseExitFailure(writer, exit);
  writer.set(noTurn);
  const outcome = timedOut ? "failed" : interrupting ? "interrupted" : isCompleted ? "completed" : "failed";
  finishTurn(writer, outcome, createMessageSender(options, writer));
}

function raiseExitFailure(writer: Writer, exit: Exit): void {
  const { result, stderrTail, expectedSessionId } = writer.state;
  const message = result?.error ?? stderrTail;
  const reportedCategory = categorizeGeminiError(message);
  const exitCategory = exit.error ? "not-started" : "agent-died";
  const category = result === null && reportedCategory === "unknown" ? exitCategory : reportedCategory;
  writer.raise({
    category: expectedSessionId !== null ? "session-not-found" : category,
    message: message || (exit.error ?? "The process ended without output."),
  });
}
