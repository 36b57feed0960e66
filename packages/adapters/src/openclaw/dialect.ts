import type { AgentCommand, Dialect, Effect, Exit, LaunchCommand, Observation } from "@fairlead/contract";
import { defineDialect, finishTurn, initialConversation, reportUsage, submit } from "@fairlead/kit";
import { noCalls, watchdog, watchdogAlarm } from "@fairlead/kit";
import type { Meters, TransitionWriter, WatchdogState } from "@fairlead/kit";
import {
  parseFailureLog,
  firstResultLine,
  logLinePattern,
  stripColorCodes,
  parseOpenClawResult,
  toOpenClawUsageReading,
  parseRetryLog,
  toOpenClawFailure,
} from "./wire.ts";
import type { OpenClawResult, OpenClawFailure } from "./wire.ts";

/** `failure` is the model's failure according to the log; it is final when the dialect kills the process for it. */
export interface OpenClawState extends WatchdogState {
  readonly meters: Meters;
  /** The lines of the result object so far; null before its first line. */
  readonly document: string | null;
}

export interface OpenClawDialectOptions {
  readonly launchCommand: LaunchCommand;
  /** How long OpenClaw may retry its model, and how long a whole turn may take, in ms. */
  readonly retryDeadline: number;
  readonly turnDeadline: number;
  readonly notices: readonly string[];
}

type Writer = TransitionWriter<OpenClawState>;
// kit's silence watchdog does not fit: OpenClaw prints nothing on stdout before the end of a turn. So a turn has a total
// limit, and the watchdog only limits how long OpenClaw retries its model.
const turnAlarm = "turn";
const recoveryAlarm = "recovering";
/** An attempt that has not failed after this many ms counts as one that the model answers. */
const recoveryTime = 30_000;
const noTurn = { document: null, failure: null } as const;

export function createOpenClawDialect(options: OpenClawDialectOptions): Dialect<OpenClawState> {
  return defineDialect<OpenClawState>({
    initialState: {
      ...initialConversation,
      ...noTurn,
      calls: noCalls,
      pendingDecisions: {},
      activeSinceAlarm: false,
      meters: {},
    },
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
  });
}

function handle(options: OpenClawDialectOptions, writer: Writer, command: AgentCommand): void {
  switch (command.type) {
    case "open":
      for (const message of options.notices) writer.warn(message);
      break;
    case "resume":
      writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      break;
    case "send":
      submit(writer, command, createLaunchEffect(options));
      break;
    case "interrupt":
    case "pause":
    case "end":
      interrupt(writer);
      break;
    case "answer":
    case "steer": // The manifest does not declare these, so they have no effect.
  }
}

const createLaunchEffect =
  ({ launchCommand }: OpenClawDialectOptions) =>
  (): Effect => ({ type: "launch", command: launchCommand });

function interrupt(writer: Writer): void {
  if (writer.state.current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

function observe(options: OpenClawDialectOptions, writer: Writer, observation: Observation): void {
  const { current } = writer.state;
  if (observation.kind === "launched" && current !== null) {
    writer.effect({ type: "write", text: current.text }, { type: "close-stdin" });
    writer.effect({ type: "alarm", name: turnAlarm, after: options.turnDeadline });
  }
  if (observation.kind === "alarm" && current !== null) handleAlarm(options, writer, observation.name);
  if (observation.kind === "line" && observation.stream === "out") collectOutput(writer, observation.text);
  if (observation.kind === "line" && observation.stream === "err")
    handleStderr(options, writer, stripColorCodes(observation.text));
  if (observation.kind === "exited" && current !== null) handleExit(options, writer, observation.exit);
}

function collectOutput(writer: Writer, line: string): void {
  const { document } = writer.state;
  if (document !== null) writer.set({ document: `${document}\n${line}` });
  else if (line === firstResultLine) writer.set({ document: line });
  else writer.unrecognized(line);
}

function handleStderr(options: OpenClawDialectOptions, writer: Writer, text: string): void {
  const failure = parseFailureLog(text);
  if (failure !== undefined) {
    writer.effect({ type: "disarm", name: recoveryAlarm });
    watchdog.modelRetrying(writer, options.retryDeadline, failure);
  }
  const retry = parseRetryLog(text);
  if (retry !== undefined) {
    writer.warn(retry.message).effect({ type: "alarm", name: recoveryAlarm, after: retry.delay + recoveryTime });
  }
  // Lines after the result repeat the error that it contains.
  if (text === "" || logLinePattern.test(text) || writer.state.document !== null) return;
  writer.warn(text);
}

function handleAlarm(options: OpenClawDialectOptions, writer: Writer, alarm: string): void {
  if (alarm === recoveryAlarm) {
    watchdog.modelAnswered(writer);
    writer.effect({ type: "disarm", name: watchdogAlarm });
  }
  if (alarm === watchdogAlarm && watchdog.checkExpired(writer, options.retryDeadline)) writer.effect({ type: "kill" });
  if (alarm === turnAlarm) {
    const message = `The turn did not end within ${options.turnDeadline} ms.`;
    writer.set({ failure: { category: "timed-out", message, isFinal: true } }).effect({ type: "kill" });
  }
}

function handleExit(options: OpenClawDialectOptions, writer: Writer, exit: Exit): void {
  const { document, failure, interrupting } = writer.state;
  const result = document === null ? undefined : parseOpenClawResult(document);
  for (const name of [turnAlarm, watchdogAlarm, recoveryAlarm]) writer.effect({ type: "disarm", name });
  if (document !== null && result === undefined) writer.unrecognized(document);
  if (result !== undefined) emitResult(writer, result);
  const fail = (cause: OpenClawFailure): "failed" => {
    writer.raise(cause);
    return "failed";
  };
  const decideOutcome = (): "completed" | "interrupted" | "failed" => {
    if (result?.ok) return "completed";
    if (failure?.isFinal) return fail(failure);
    if (interrupting) return "interrupted";
    if (result !== undefined) return fail(failure ?? toOpenClawFailure(result));
    if (exit.error !== undefined) return fail({ category: "not-started", message: exit.error });
    const cause = exit.signal ?? `exit code ${exit.code}`;
    return fail({ category: "agent-died", message: `The process exited without a result: ${cause}.` });
  };
  const outcome = decideOutcome();
  writer.set(noTurn);
  finishTurn(writer, outcome, createLaunchEffect(options));
}

/** Emits the events of a turn: OpenClaw reports everything at its end. */
function emitResult(writer: Writer, result: OpenClawResult): void {
  const { model, payloads, toolSummary } = result;
  if (model !== null && model !== writer.state.model) writer.set({ model }).event({ type: "session.changed", model });
  for (const { text, isError, isReasoning } of payloads) {
    if (text == null || isError) continue;
    writer.event({ type: isReasoning ? "reasoning.ended" : "text.ended", text });
  }
  if (toolSummary !== undefined) {
    const message = `Tools used: ${toolSummary.tools.join(", ")}. Calls: ${toolSummary.calls}, failed: ${toolSummary.failures}.`;
    writer.event({ type: "status.reported", level: "info", message });
  }
  const reading = toOpenClawUsageReading(result);
  if (reading !== null) reportUsage(writer, reading);
}
