import type { Dialect, Effect, Exit, Heard, LaunchLine, Asked } from "@fairlead/contract";
import { metered, quietTalk, takeUp, turnOver, writtenDialect } from "@fairlead/kit";
import type { Meters, StepWriter, Talk } from "@fairlead/kit";
import { failureIn, firstLine, logLine, plain, readEnvelope, readingOf, retryIn, troubleOf } from "./wire.ts";
import type { Envelope, Trouble } from "./wire.ts";

export interface State extends Talk {
  readonly meters: Meters;
  /** As much of its one object as has come; null before the first line of it. */
  readonly document: string | null;
  /** What is wrong with its model, as far as its log tells. */
  readonly trouble: Trouble | null;
  /** Why we stopped it, if we did. */
  readonly stopped: Trouble | null;
}

export interface Manner {
  readonly line: LaunchLine;
  /** How long it may go on trying to reach its model, and how long a turn may take in all; in milliseconds. */
  readonly retryDeadline: number;
  readonly turnDeadline: number;
  readonly notices: readonly string[];
}

type Writer = StepWriter<State>;
const turnAlarm = "turn";
const retryAlarm = "retrying";
const recoveryAlarm = "recovering";
/** An attempt that has not failed after so many milliseconds is one that its model answers. */
const recovery = 30_000;
const quiet = { document: null, trouble: null, stopped: null } as const;

export function dialectOf(manner: Manner): Dialect<State> {
  return writtenDialect<State>({
    start: { ...quietTalk, ...quiet, meters: {} },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  switch (wish.type) {
    case "open":
      for (const message of manner.notices) writer.event({ type: "status.reported", level: "warning", message });
      break;
    case "resume":
      writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId: null });
      break;
    case "send":
      takeUp(writer, wish, launch(manner));
      break;
    case "pause":
    case "end":
      writer.set({ waiting: [] });
      interrupt(writer);
      break;
    case "interrupt":
      interrupt(writer);
      break;
    case "answer":
    case "steer": // Neither is declared, so neither is granted.
  }
}

const launch =
  ({ line }: Manner) =>
  (): Effect => ({ type: "launch", line });

function interrupt(writer: Writer): void {
  if (writer.state.current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  const { current } = writer.state;
  if (heard.kind === "launched" && current !== null) {
    writer.effect({ type: "say", text: current.text }, { type: "hangup" });
    writer.effect({ type: "alarm", name: turnAlarm, after: manner.turnDeadline });
  }
  if (heard.kind === "alarm" && current !== null) rung(manner, writer, heard.name);
  if (heard.kind === "line" && heard.stream === "out") collect(writer, heard.text);
  if (heard.kind === "line" && heard.stream === "err") complained(manner, writer, plain(heard.text));
  if (heard.kind === "exited" && current !== null) exited(manner, writer, heard.exit);
}

function collect(writer: Writer, line: string): void {
  const { document } = writer.state;
  if (document !== null) writer.set({ document: `${document}\n${line}` });
  else if (line === firstLine) writer.set({ document: line });
  else writer.event({ type: "unrecognized", reason: "not part of a result", raw: line.slice(0, 4000) });
}

function complained(manner: Manner, writer: Writer, words: string): void {
  const { trouble, document } = writer.state;
  const failed = failureIn(words);
  if (failed !== undefined) {
    writer.set({ trouble: failed }).effect({ type: "disarm", name: recoveryAlarm });
    if (trouble === null) writer.effect({ type: "alarm", name: retryAlarm, after: manner.retryDeadline });
  }
  const again = retryIn(words);
  if (again !== undefined) {
    writer.event({ type: "status.reported", level: "warning", message: again.message });
    writer.effect({ type: "alarm", name: recoveryAlarm, after: again.delay + recovery });
  }
  // What follows its object repeats the error in it.
  if (words === "" || logLine.test(words) || document !== null) return;
  writer.event({ type: "status.reported", level: "warning", message: words });
}

function rung(manner: Manner, writer: Writer, alarm: string): void {
  const { trouble } = writer.state;
  if (alarm === recoveryAlarm) writer.set({ trouble: null }).effect({ type: "disarm", name: retryAlarm });
  if (alarm === retryAlarm && trouble !== null) writer.set({ stopped: trouble }).effect({ type: "kill" });
  if (alarm === turnAlarm) {
    const says = `It did not end in ${manner.turnDeadline} ms.`;
    writer.set({ stopped: { category: "timed-out", says } }).effect({ type: "kill" });
  }
}

function exited(manner: Manner, writer: Writer, exit: Exit): void {
  const { document, trouble, stopped, interrupting } = writer.state;
  const envelope = document === null ? undefined : readEnvelope(document);
  for (const name of [turnAlarm, retryAlarm, recoveryAlarm]) writer.effect({ type: "disarm", name });
  if (document !== null && envelope === undefined) {
    writer.event({ type: "unrecognized", reason: "not a result", raw: document.slice(0, 4000) });
  }
  if (envelope !== undefined) tell(writer, envelope);
  const fail = ({ category, says: message }: Trouble): "failed" => {
    writer.event({ type: "error.raised", category, message });
    return "failed";
  };
  const ending = (): "completed" | "interrupted" | "failed" => {
    if (envelope?.ok) return "completed";
    if (stopped !== null) return fail(stopped);
    if (interrupting) return "interrupted";
    if (envelope !== undefined) return fail(trouble ?? troubleOf(envelope));
    if (exit.error !== undefined) return fail({ category: "not-started", says: exit.error });
    const how = exit.signal ?? `exit code ${exit.code}`;
    return fail({ category: "agent-died", says: `Its process ended without a result: ${how}.` });
  };
  const outcome = ending();
  writer.set(quiet);
  turnOver(writer, outcome, launch(manner));
}

/** All that it has to say of a turn. */
function tell(writer: Writer, envelope: Envelope): void {
  const { model, payloads, toolSummary: used } = envelope;
  if (model !== null && model !== writer.state.model) writer.set({ model }).event({ type: "session.changed", model });
  for (const { text, isError, isReasoning } of payloads) {
    if (text == null || isError) continue;
    writer.event({ type: isReasoning ? "reasoning.ended" : "text.ended", text });
  }
  if (used !== undefined) {
    const message = `It used ${used.tools.join(", ")}: ${used.calls} calls, of which ${used.failures} failed.`;
    writer.event({ type: "status.reported", level: "info", message });
  }
  const reading = readingOf(envelope);
  if (reading !== null) metered(writer, reading);
}
