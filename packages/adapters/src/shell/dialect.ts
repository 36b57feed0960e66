import type { Dialect, EventOf, Exit, Heard, LaunchLine, Asked } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, writtenDialect } from "@fairlead/kit";
import type { Calls, Message, StepWriter } from "@fairlead/kit";
import { exitWords, longestOutput } from "./wire.ts";

export interface State {
  readonly current: Message | null;
  readonly waiting: readonly Message[];
  readonly calls: Calls;
  /** How many commands have been asked for; names the calls. */
  readonly count: number;
  readonly output: string;
  /** Why the running command was told to stop, if it was. */
  readonly halted: "interrupted" | "timed-out" | null;
}

/** What the dialect has to know of the opening. */
export interface Manner {
  launch(command: string): LaunchLine;
  /** A sentence saying why a command may not run, or null. */
  forbids(command: string): string | null;
  readonly timeout: number;
  readonly successCodes: readonly number[];
}

type Writer = StepWriter<State>;
const timeoutAlarm = "timeout";

export function dialectOf(manner: Manner): Dialect<State> {
  return writtenDialect<State>({
    start: { current: null, waiting: [], calls: {}, count: 0, output: "", halted: null },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  const { current, waiting } = writer.state;
  if (wish.type === "send" && current !== null) writer.set({ waiting: [...waiting, wish] });
  else if (wish.type === "send") run(manner, writer, wish);
  // Every command is a process of its own, so there is nothing that a resume could lose.
  if (wish.type === "resume") writer.event({ type: "session.resumed", outcome: "native", agentSessionId: null });
  const stops = wish.type === "interrupt" || wish.type === "pause" || wish.type === "end";
  if (stops && current !== null) writer.set({ halted: "interrupted", waiting: [] }).effect({ type: "kill" });
}

function run(manner: Manner, writer: Writer, { turn, text }: Message): void {
  const count = writer.state.count + 1;
  const call = `command-${count}`;
  writer.set({ current: { turn, text }, count, output: "", halted: null });
  writer.event({ type: "turn.started", turn, input: text, origin: "user" });
  callRequested(writer, { call, name: "shell", input: { command: text } });
  const forbidden = manner.forbids(text);
  if (forbidden === null) return void writer.effect({ type: "launch", line: manner.launch(text) });
  callEnded(writer, call, { output: forbidden, reason: "denied" });
  writer.event({ type: "error.raised", category: "not-allowed", message: forbidden });
  over(manner, writer, "failed");
}

function over(manner: Manner, writer: Writer, outcome: EventOf<"turn.ended">["outcome"]): void {
  const { current, waiting } = writer.state;
  if (current !== null) writer.event({ type: "turn.ended", turn: current.turn, outcome });
  const [next, ...others] = waiting;
  writer.set({ current: null, waiting: others });
  if (next !== undefined) run(manner, writer, next);
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  const { current, output, count } = writer.state;
  if (current === null) return;
  if (heard.kind === "launched") {
    callStarted(writer, `command-${count}`);
    writer.effect({ type: "alarm", name: timeoutAlarm, after: manner.timeout });
  }
  if (heard.kind === "alarm" && heard.name === timeoutAlarm) {
    writer.set({ halted: "timed-out" }).effect({ type: "kill" });
  }
  if (heard.kind === "line" && output.length < longestOutput) {
    const text = `${heard.text}\n`;
    writer.set({ output: output + text }).delta({ type: "text.delta", text });
  }
  if (heard.kind === "exited") exited(manner, writer, heard.exit);
}

function exited(manner: Manner, writer: Writer, exit: Exit): void {
  const { output, halted, count } = writer.state;
  const ok = halted === null && exit.code !== null && manner.successCodes.includes(exit.code);
  const failure = halted === "interrupted" ? "interrupted" : "failed";
  writer.effect({ type: "disarm", name: timeoutAlarm });
  callEnded(writer, `command-${count}`, { output, reason: ok ? undefined : failure });
  if (output !== "") writer.event({ type: "text.ended", text: output });
  if (ok) return over(manner, writer, "completed");
  if (halted === "interrupted") return over(manner, writer, "interrupted");
  const late = `The command was stopped after ${manner.timeout} ms.`;
  const message =
    exit.error ?? (halted === "timed-out" ? late : `The command ended with ${exitWords(exit.code, exit.signal)}.`);
  const category = exit.error === undefined ? (halted ?? "command-failed") : "not-started";
  writer.event({ type: "error.raised", category, message });
  over(manner, writer, "failed");
}
