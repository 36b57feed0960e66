import type { Answer, Asked, Continuation, Dialect, Effect, Heard, LaunchLine } from "@fairlead/contract";
import { byItself, callAskedAbout, callDenied, callEnded, callRequested, callStarted } from "@fairlead/kit";
import { identified, metered, parseJsonLine, patience, patientDialect, quietTalk, takeUp } from "@fairlead/kit";
import { entered, textOfContent, turnOver } from "@fairlead/kit";
import type { Entry, Message, Meters, Patient, StepWriter } from "@fairlead/kit";
import { categoryOf, fileOf, isFailure, plainModel, readingsOf, say, systemAside, toQuestions } from "./wire.ts";
import { Spoken, type SpokenOf } from "./wire.ts";

export interface State extends Patient {
  /** Open decisions: the call, and the input as it was asked about. */
  readonly asks: Readonly<Record<string, { readonly call: string; readonly input: object }>>;
  readonly interrupts: number;
  /** Whether its model has begun to answer. */
  readonly answering: boolean;
  /** What this process has used, where it tells totals only: they begin anew with each process. */
  readonly meters: Meters;
}

export interface Manner {
  launch(into: Entry): LaunchLine;
  readonly continues: Continuation | null;
  readonly retryDeadline: number;
  readonly notices: readonly string[];
}

type Writer = StepWriter<State>;
const quiet = { calls: {}, asks: {}, answering: false, trouble: null, meters: {} };
const speak = (message: Message): Effect => ({ type: "say", text: say.message(message.text) });

export function dialectOf(manner: Manner): Dialect<State> {
  return patientDialect<State>({
    start: { ...quietTalk, ...quiet, interrupts: 0, heard: false },
    deadline: manner.retryDeadline,
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
    stop: interrupt,
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  switch (wish.type) {
    case "open":
    case "resume":
      for (const message of wish.type === "open" ? manner.notices : []) writer.warn(message);
      writer.effect({ type: "launch", line: manner.launch(entered(writer, wish.type, manner.continues)) });
      break;
    case "send":
      return takeUp(writer, wish, speak);
    case "answer":
      return answer(writer, wish.decision, wish.answer);
    case "interrupt":
    case "pause":
    case "end":
      if (writer.state.current !== null) interrupt(writer);
      break;
    case "steer": // It is not declared, so it is not granted.
  }
}

function interrupt(writer: Writer): void {
  const interrupts = writer.state.interrupts + 1;
  writer.set({ interrupts, interrupting: true });
  writer.effect({ type: "say", text: say.interrupt(`interrupt-${interrupts}`) });
}

function answer(writer: Writer, decision: string, given: Answer): void {
  const { [decision]: asked, ...asks } = writer.state.asks;
  if (asked === undefined) return;
  writer.set({ asks });
  if (given.type === "deny") {
    if (given.interrupt) writer.set({ interrupting: true });
    callDenied(writer, asked.call);
    const { message, interrupt: stop } = given;
    writer.effect({ type: "say", text: say.grant(decision, { behavior: "deny", message, interrupt: stop }) });
    return;
  }
  const updatedInput =
    given.type === "choose" ? { ...asked.input, answers: given.answers } : (given.input ?? asked.input);
  callStarted(writer, asked.call, updatedInput);
  writer.effect({ type: "say", text: say.grant(decision, { behavior: "allow", updatedInput }) });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  if (heard.kind === "exited") writer.set({ ...quiet, current: null, waiting: [] });
  if (heard.kind !== "line") return;
  if (heard.stream === "err") {
    writer.warn(heard.text);
    // Older versions say no more than this of a conversation that they do not know, and leave.
    const category = categoryOf(heard.text);
    if (category !== "session-not-found" || writer.state.proving === null) return;
    writer.set({ trouble: { category, says: heard.text, over: true } });
    return;
  }
  const spoken = Spoken.safeParse(parseJsonLine(heard.text));
  if (!spoken.success || !understood(manner, writer, spoken.data)) writer.unrecognized(heard.text);
}

function understood(manner: Manner, writer: Writer, spoken: Spoken): boolean {
  switch (spoken.type) {
    case "system":
      return system(manner, writer, spoken);
    case "stream_event": {
      const parent = spoken.parent_tool_use_id == null ? {} : { parent: spoken.parent_tool_use_id };
      const { text, thinking } = spoken.event.delta ?? {};
      if (text !== undefined) writer.delta({ type: "text.delta", text, ...parent });
      if (thinking !== undefined) writer.delta({ type: "reasoning.delta", text: thinking, ...parent });
      if (spoken.event.type !== "message_start") return true;
      if (writer.state.current === null) byItself(writer);
      writer.set({ answering: true });
      return true;
    }
    case "assistant":
      assistant(writer, spoken);
      return true;
    case "user":
      toolsEnded(writer, spoken);
      return true;
    case "result":
      finished(writer, spoken);
      return true;
    case "control_request":
      return requested(writer, spoken);
    case "control_cancel_request": {
      const { [spoken.request_id]: asked, ...asks } = writer.state.asks;
      if (asked === undefined) return true;
      const decision = spoken.request_id;
      writer.set({ asks }).event({ type: "decision.resolved", decision, outcome: "canceled", by: "agent" });
      return true;
    }
    case "control_response":
      return spoken.response.subtype === "success";
    default:
      return true;
  }
}

function system(manner: Manner, writer: Writer, spoken: SpokenOf<"system">): boolean {
  if (spoken.subtype === "init") identified(writer, spoken.session_id ?? "", plainModel(spoken.model));
  else if (spoken.subtype === "api_retry") {
    const { error_status: status, error = "unknown", attempt = 0, max_retries: most = 0 } = spoken;
    const message = `Its model did not answer (${status ?? error}); trying again, ${attempt} of ${most}.`;
    writer.warn(message);
    const category = categoryOf(status == null ? "Connection error." : error, status, writer.state.answering);
    patience.troubled(writer, manner.retryDeadline, { category, says: message });
  } else if (spoken.status === "compacting") patience.granted(writer, 5 * manner.retryDeadline);
  else if (spoken.subtype === "compact_boundary") {
    const trigger = spoken.compact_metadata?.trigger === "manual" ? "asked" : "automatic";
    writer.event({ type: "context.compacted", trigger });
  } else return systemAside.test(spoken.subtype);
  return true;
}

function assistant(writer: Writer, spoken: SpokenOf<"assistant">): void {
  // Words about a failure of the model's service come again, with the failure, in the result.
  if (isFailure(spoken)) return;
  patience.relieved(writer.set({ answering: false }));
  const parent = spoken.parent_tool_use_id == null ? {} : { parent: spoken.parent_tool_use_id };
  for (const block of spoken.message.content) {
    if (block.type === "text") writer.event({ type: "text.ended", text: block.text, ...parent });
    else if (block.type === "thinking") writer.event({ type: "reasoning.ended", text: block.thinking, ...parent });
    else if (block.type === "tool_use") {
      callRequested(writer, { call: block.id, name: block.name, input: block.input, ...parent });
    }
  }
}

function requested(writer: Writer, { request_id: decision, request }: SpokenOf<"control_request">): boolean {
  const { tool_name: tool = "", input = {}, description = tool } = request;
  const call = request.tool_use_id ?? callAskedAbout(writer.state.calls, tool, input) ?? "";
  if (request.subtype !== "can_use_tool") {
    writer.effect({ type: "say", text: say.refuse(decision, "This host does not do that.") });
    return false;
  }
  writer.set({ asks: { ...writer.state.asks, [decision]: { call, input } } });
  const questions = tool === "AskUserQuestion" ? toQuestions(input) : undefined;
  const common = { type: "decision.requested", decision, call, tool, input } as const;
  if (questions === undefined) writer.event({ ...common, kind: "approval", title: `${tool}: ${description}` });
  else writer.event({ ...common, kind: "question", title: questions[0]?.text ?? tool, questions });
  return true;
}

function toolsEnded(writer: Writer, spoken: SpokenOf<"user">): void {
  for (const result of spoken.message.content) {
    if (typeof result === "string" || result.type !== "tool_result") continue;
    const call = result.tool_use_id;
    const open = writer.state.calls[call];
    const output = textOfContent(result.content);
    const withheld = spoken.tool_result_meta?.find((one) => one.id === call)?.non_execution_kind !== undefined;
    const failure = withheld ? "denied" : "failed"; // Older versions do not say; but we know what we have denied.
    const unfinished = writer.state.interrupting ? "interrupted" : failure;
    const reason = result.is_error ? unfinished : undefined;
    const file = reason === undefined && open !== undefined && fileOf(open, spoken.tool_use_result, output);
    if (file) {
      callStarted(writer, call);
      writer.event({ type: "file.changed", ...file, call });
    }
    callEnded(writer, call, { output, reason });
  }
}

function finished(writer: Writer, result: SpokenOf<"result">): void {
  const { trouble, interrupting, answering } = writer.state;
  for (const reading of readingsOf(result)) metered(writer, reading);
  const words = result.errors?.join(" ") || (result.result ?? result.subtype);
  const aborted = interrupting || (result.terminal_reason ?? "").startsWith("aborted");
  // Older versions say of what was interrupted that it was no error, but not that it was a success.
  const wrong = result.is_error || result.subtype !== "success";
  let outcome: "completed" | "interrupted" | "limited" | "failed" = "completed";
  if (result.subtype === "error_max_turns") outcome = "limited";
  else if (wrong && aborted && !trouble?.over) outcome = "interrupted";
  else if (wrong) {
    outcome = "failed";
    const told = categoryOf(words, result.api_error_status, answering);
    const category = told === "unknown" ? (trouble?.category ?? told) : told;
    writer.raise(trouble?.over ? trouble : { category, says: words });
  }
  writer.set({ calls: {}, asks: {}, trouble: null, answering: false });
  turnOver(writer, outcome, speak);
}
