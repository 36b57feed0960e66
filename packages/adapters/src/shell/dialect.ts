import type { AgentCommand, Dialect, EventOf, Exit, LaunchCommand, Observation } from "@fairlead/contract";
import { appendText, callEnded, callRequested, callStarted, defineDialect, endText, noCalls } from "@fairlead/kit";
import { createToolAction, noPartialText, type PartialText } from "@fairlead/kit";
import type { Calls, UserMessage, TransitionWriter } from "@fairlead/kit";
import { describeShellExit, maxOutputLength } from "./wire.ts";

export interface ShellState {
  readonly current: UserMessage | null;
  readonly calls: Calls;
  /** The number of commands so far; part of the calls' ids. */
  readonly count: number;
  /** The beginning of the output, for the end of the call. */
  readonly output: string;
  /** The length of the whole output. Missing in states that older versions stored. */
  readonly outputLength?: number;
  /** The part of the output that no event has yet. Missing in states that older versions stored. */
  readonly text?: PartialText;
  /** Why the dialect stopped the running command, if it did. */
  readonly stopReason: "interrupted" | "timed-out" | null;
}

export interface ShellDialectOptions {
  launch(command: string): LaunchCommand;
  /** Returns a sentence that says why a command may not run, or null if it may. */
  explainForbidden(command: string): string | null;
  readonly timeout: number;
  readonly successCodes: readonly number[];
}

type Writer = TransitionWriter<ShellState>;
// Limits the whole run of a command. kit's watchdog limits silence, and a command may be silent.
const timeoutAlarm = "timeout";

export function createShellDialect(options: ShellDialectOptions): Dialect<ShellState> {
  return defineDialect<ShellState>({
    initialState: { current: null, calls: noCalls, count: 0, output: "", stopReason: null },
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
  });
}

function handle(options: ShellDialectOptions, writer: Writer, command: AgentCommand): void {
  const { current } = writer.state;
  if (command.type === "send") startCommand(options, writer, command);
  // Each command has its own process, so a resume loses nothing.
  if (command.type === "resume") writer.event({ type: "session.resumed", outcome: "native", agentSessionId: null });
  const isStop = command.type === "interrupt" || command.type === "pause" || command.type === "end";
  if (isStop && current !== null) writer.set({ stopReason: "interrupted" }).effect({ type: "kill" });
}

function startCommand(options: ShellDialectOptions, writer: Writer, { turn, text }: UserMessage): void {
  const count = writer.state.count + 1;
  const call = `command-${count}`;
  writer.set({ current: { turn, text }, count, output: "", outputLength: 0, text: noPartialText, stopReason: null });
  writer.event({ type: "turn.started", turn, input: text, origin: "user" });
  const action = createToolAction("run", { command: text });
  callRequested(writer, { call, name: "shell", input: { command: text }, action });
  const reason = options.explainForbidden(text);
  if (reason === null) return void writer.effect({ type: "launch", command: options.launch(text) });
  callEnded(writer, call, { output: reason, reason: "denied" });
  writer.raise({ category: "not-allowed", message: reason });
  endTurn(writer, "failed");
}

function endTurn(writer: Writer, outcome: EventOf<"turn.ended">["outcome"]): void {
  const { current } = writer.state;
  if (current !== null) writer.event({ type: "turn.ended", turn: current.turn, outcome });
  writer.set({ current: null });
}

function observe(options: ShellDialectOptions, writer: Writer, observation: Observation): void {
  const { current, count } = writer.state;
  if (current === null) return;
  if (observation.kind === "launched") {
    callStarted(writer, `command-${count}`);
    writer.effect({ type: "alarm", name: timeoutAlarm, after: options.timeout });
  }
  if (observation.kind === "alarm" && observation.name === timeoutAlarm) {
    writer.set({ stopReason: "timed-out" }).effect({ type: "kill" });
  }
  if (observation.kind === "line")
    appendOutput(writer, observation.unterminated ? observation.text : `${observation.text}\n`);
  if (observation.kind === "exited") handleExit(options, writer, observation.exit);
}

function appendOutput(writer: Writer, line: string): void {
  const { output, outputLength = output.length, text = { text: output } } = writer.state;
  writer.set({
    output: output.length < maxOutputLength ? output + line.slice(0, maxOutputLength - output.length) : output,
    outputLength: outputLength + line.length,
    text: appendText(writer, text, line),
  });
}

function handleExit(options: ShellDialectOptions, writer: Writer, exit: Exit): void {
  const { output, outputLength = output.length, text = { text: output }, stopReason, count } = writer.state;
  const succeeded = stopReason === null && exit.code !== null && options.successCodes.includes(exit.code);
  const failure = stopReason === "interrupted" ? "interrupted" : "failed";
  writer.effect({ type: "disarm", name: timeoutAlarm });
  const cut = outputLength - output.length;
  const shown = cut > 0 ? `${output}\n[${cut} more characters are in the text]` : output;
  callEnded(writer, `command-${count}`, { output: shown, reason: succeeded ? undefined : failure });
  endText(writer, text);
  if (succeeded) return endTurn(writer, "completed");
  if (stopReason === "interrupted") return endTurn(writer, "interrupted");
  const timeoutMessage = `The command was stopped after ${options.timeout} ms.`;
  const message =
    exit.error ??
    (stopReason === "timed-out"
      ? timeoutMessage
      : `The command ended with ${describeShellExit(exit.code, exit.signal)}.`);
  const category = exit.error === undefined ? (stopReason ?? "command-failed") : "not-started";
  writer.raise({ category, message });
  endTurn(writer, "failed");
}
