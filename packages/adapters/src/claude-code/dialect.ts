import type { Answer, Dialect, Effect, ErrorCategory, Heard, LaunchLine, Wish } from "@fairlead/contract";
import { byItself, callEnded, callRequested, callStarted, failureCategory, identified, quietTalk } from "@fairlead/kit";
import { parseJsonLine, takeUp, turnOver, writtenDialect } from "@fairlead/kit";
import type { Calls, Message, StepWriter, Talk } from "@fairlead/kit";
import { say, Spoken, systemAside, textOf, toQuestions, usageOf, Written, type SpokenOf } from "./wire.ts";

export interface State extends Talk {
  readonly calls: Calls;
  /** Open decisions: the call, and the input as it was asked about. */
  readonly asks: Readonly<Record<string, { readonly call: string; readonly input: object }>>;
  readonly interrupts: number;
  /** Whether its model has begun to answer. */
  readonly answering: boolean;
  /** What is wrong with its model while it keeps trying; `over` once we have lost patience. */
  readonly trouble: { readonly category: ErrorCategory; readonly says: string; readonly over: boolean } | null;
}

export interface Manner {
  launch(native: string | null): LaunchLine;
  readonly continues: string | null;
  readonly retryDeadline: number;
  readonly notices: readonly string[];
}

type Writer = StepWriter<State>;
const retryAlarm = "retrying";
const speak = (message: Message): Effect => ({ type: "say", text: say.message(message.text) });

export function dialectOf(manner: Manner): Dialect<State> {
  return writtenDialect<State>({
    start: { ...quietTalk, calls: {}, asks: {}, interrupts: 0, answering: false, trouble: null },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function ask(manner: Manner, writer: Writer, wish: Wish): void {
  const { native } = writer.state;
  switch (wish.type) {
    case "open":
      for (const message of manner.notices) writer.event({ type: "status.reported", level: "warning", message });
      writer.set({ proving: manner.continues }).effect({ type: "launch", line: manner.launch(manner.continues) });
      break;
    case "resume":
      // Without a name there is nothing to prove, and the first turn will give it one.
      if (native === null) writer.event({ type: "session.resumed", outcome: "fresh", native });
      writer.set({ proving: native }).effect({ type: "launch", line: manner.launch(native) });
      break;
    case "send":
      takeUp(writer, wish, speak);
      break;
    case "answer":
      answer(writer, wish.decision, wish.answer);
      break;
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
    const { message, interrupt: stop } = given;
    writer.effect({ type: "say", text: say.grant(decision, { behavior: "deny", message, interrupt: stop }) });
    return;
  }
  const updatedInput =
    given.type === "choose" ? { ...asked.input, answers: given.answers } : (given.input ?? asked.input);
  callStarted(writer, asked.call);
  writer.effect({ type: "say", text: say.grant(decision, { behavior: "allow", updatedInput }) });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  if (heard.kind === "alarm" && heard.name === retryAlarm && writer.state.trouble !== null) {
    writer.set({ trouble: { ...writer.state.trouble, over: true } });
    interrupt(writer);
  }
  if (heard.kind === "exited") writer.set({ current: null, waiting: [], calls: {}, asks: {}, trouble: null });
  if (heard.kind !== "line") return;
  if (heard.stream === "err") {
    writer.event({ type: "status.reported", level: "warning", message: heard.text });
    return;
  }
  const spoken = Spoken.safeParse(parseJsonLine(heard.text));
  if (!spoken.success || !understood(manner, writer, spoken.data)) {
    writer.event({ type: "unrecognised", reason: "not a known message", raw: heard.text.slice(0, 4000) });
  }
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
      writer.set({ asks }).event({ type: "decision.resolved", decision, outcome: "cancelled", by: "agent" });
      return true;
    }
    case "control_response":
      return spoken.response.subtype === "success";
    default:
      return true;
  }
}

function system(manner: Manner, writer: Writer, spoken: SpokenOf<"system">): boolean {
  if (spoken.subtype === "init") identified(writer, spoken.session_id ?? "", spoken.model ?? null);
  else if (spoken.subtype === "api_retry") {
    const { error_status: status, error = "unknown", attempt = 0, max_retries: most = 0 } = spoken;
    const message = `Its model did not answer (${status ?? error}); trying again, ${attempt} of ${most}.`;
    writer.event({ type: "status.reported", level: "warning", message });
    if (writer.state.trouble === null) writer.effect({ type: "alarm", name: retryAlarm, after: manner.retryDeadline });
    // Of a broken connection it says no more than that; whether an answer had begun tells which kind it was.
    const broken = writer.state.answering ? "connection-lost" : "unreachable";
    const category = status == null ? broken : failureCategory(status, error);
    writer.set({ answering: false, trouble: { category, says: message, over: false } });
  } else if (spoken.subtype === "compact_boundary") {
    const trigger = spoken.compact_metadata?.trigger === "manual" ? "asked" : "automatic";
    writer.event({ type: "context.compacted", trigger });
  } else return systemAside.test(spoken.subtype);
  return true;
}

function assistant(writer: Writer, spoken: SpokenOf<"assistant">): void {
  // Words about a failure of the model's service come again, with the failure, in the result.
  if (spoken.is_api_error_message) return;
  if (writer.state.trouble?.over === false) writer.set({ trouble: null }).effect({ type: "disarm", name: retryAlarm });
  writer.set({ answering: false });
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
  const { tool_name: tool = "", tool_use_id: call = "", input = {}, description = tool } = request;
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
    const name = writer.state.calls[call]?.name;
    const withheld = spoken.tool_result_meta?.find((one) => one.id === call)?.non_execution_kind !== undefined;
    const refusal = writer.state.interrupting ? "interrupted" : "denied";
    const failure = withheld ? refusal : "failed";
    const reason = result.is_error ? failure : undefined;
    const written = Written.safeParse(spoken.tool_use_result);
    if (reason === undefined && written.success && name !== undefined && name !== "Read") {
      callStarted(writer, call);
      const change = written.data.type === "create" ? "created" : "modified";
      writer.event({ type: "file.changed", path: written.data.filePath, change, call });
    }
    callEnded(writer, call, { output: textOf(result.content), reason });
  }
}

function finished(writer: Writer, result: SpokenOf<"result">): void {
  const { trouble, interrupting } = writer.state;
  writer.event(...usageOf(result));
  const words = result.errors?.join(" ") ?? result.result ?? result.subtype;
  const aborted = interrupting || (result.terminal_reason ?? "").startsWith("aborted");
  let outcome: "completed" | "interrupted" | "limited" | "failed" = "completed";
  if (result.subtype === "error_max_turns") outcome = "limited";
  else if (result.is_error && aborted && !trouble?.over) outcome = "interrupted";
  else if (result.is_error) {
    outcome = "failed";
    const told = failureCategory(result.api_error_status, words);
    const category = /no conversation found/i.test(words) ? "session-not-found" : told;
    const known = trouble?.over ? { category: trouble.category, message: trouble.says } : { category, message: words };
    writer.event({ type: "error.raised", ...known });
  }
  if (trouble !== null) writer.effect({ type: "disarm", name: retryAlarm });
  writer.set({ calls: {}, asks: {}, trouble: null });
  turnOver(writer, outcome, speak);
}
