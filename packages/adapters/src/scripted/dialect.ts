import type { Answer, Asked, Continuation, Dialect, Effect, Heard, LaunchLine } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, entered, failureCategory, identified } from "@fairlead/kit";
import { parseJsonLine, quietTalk, takeUp, turnOver, writtenDialect } from "@fairlead/kit";
import type { Calls, Message, StepWriter, Talk } from "@fairlead/kit";
import { Call, line, Said } from "./wire.ts";

export interface State extends Talk {
  readonly calls: Calls;
  /** Open decisions, with the input as it was asked about. */
  readonly asks: Readonly<Record<string, unknown>>;
}

export interface Manner {
  launch(agentSessionId: string | null): LaunchLine;
  readonly continues: Continuation | null;
}

type Writer = StepWriter<State>;
const speak = (message: Message): Effect => ({ type: "say", text: line({ type: "message", text: message.text }) });

export function dialectOf(manner: Manner): Dialect<State> {
  return writtenDialect<State>({
    start: { ...quietTalk, calls: {}, asks: {} },
    hear,
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  switch (wish.type) {
    case "open":
    case "resume":
      writer.effect({
        type: "launch",
        line: manner.launch(entered(writer, wish.type, manner.continues).agentSessionId),
      });
      break;
    case "send":
      takeUp(writer, wish, speak);
      break;
    case "steer":
      writer.effect({ type: "say", text: line({ type: "steer", text: wish.text }) });
      break;
    case "answer":
      answer(writer, wish.decision, wish.answer);
      break;
    case "interrupt":
    case "pause":
    case "end":
      if (writer.state.current === null) break;
      writer.set({ interrupting: true }).effect({ type: "say", text: line({ type: "interrupt" }) });
      break;
    default:
      wish satisfies never;
  }
}

function answer(writer: Writer, decision: string, given: Answer): void {
  const { [decision]: asked, ...asks } = writer.state.asks;
  writer.set({ asks });
  const allow = given.type !== "deny";
  const chosen = given.type === "choose" ? { ...(asked as object), answers: given.answers } : undefined;
  const input = given.type === "allow" ? given.input : chosen;
  const denial = given.type === "deny" ? { message: given.message, stop: given.interrupt } : {};
  const words = { type: "answer", decision, allow, ...(input !== undefined && { input }), ...denial } as const;
  writer.effect({ type: "say", text: line(words) });
}

function hear(writer: Writer, heard: Heard): void {
  if (heard.kind === "exited") writer.set({ current: null, waiting: [], calls: {}, asks: {} });
  if (heard.kind !== "line") return;
  const said = Said.safeParse(parseJsonLine(heard.text));
  if (said.success) understand(writer, said.data);
  else if (heard.stream === "err") writer.event({ type: "status.reported", level: "warning", message: heard.text });
  else writer.event({ type: "unrecognized", reason: "not a known message", raw: heard.text.slice(0, 4000) });
}

function understand(writer: Writer, said: Said): void {
  switch (said.type) {
    case "hello":
      identified(writer, said.conversation, said.model);
      break;
    case "delta":
      writer.delta({ type: said.what === "text" ? "text.delta" : "reasoning.delta", text: said.text });
      break;
    case "spoken":
      writer.event({ type: said.what === "text" ? "text.ended" : "reasoning.ended", text: said.text });
      break;
    case "call":
      callRequested(writer, { call: said.call, name: said.name, input: said.input });
      break;
    case "running":
      callStarted(writer, said.call);
      break;
    case "result": {
      const { call, ok, output, file, denied, interrupted } = said;
      const change = file?.created ? "created" : "modified";
      if (file !== undefined) writer.event({ type: "file.changed", path: file.path, change, call });
      const failure = denied ? "denied" : interrupted ? "interrupted" : "failed";
      callEnded(writer, call, { output, reason: ok ? undefined : failure });
      break;
    }
    case "may-i":
      mayI(writer, said);
      break;
    case "withdrawn":
      writer.event({ type: "decision.resolved", decision: said.decision, outcome: "canceled", by: "agent" });
      break;
    case "steered":
      if (writer.state.current === null) break;
      writer.event({ type: "turn.steered", turn: writer.state.current.turn, text: said.text });
      break;
    case "done":
      turnOver(writer, said.outcome, speak);
      break;
    case "failed": {
      const unknown = said.unknownConversation ? "session-not-found" : failureCategory(said.status, said.message);
      writer.event({ type: "error.raised", category: unknown, message: said.message });
      turnOver(writer, "failed", speak);
      break;
    }
    default:
      said satisfies never;
  }
}

function mayI(writer: Writer, { decision, call, name, input }: Extract<Said, { type: "may-i" }>): void {
  writer.set({ asks: { ...writer.state.asks, [decision]: input } });
  const asked = Call.safeParse({ name, input }).data;
  const common = { type: "decision.requested", decision, call, tool: name, input } as const;
  if (asked?.name === "ask") {
    const { questions } = asked.input;
    writer.event({ ...common, kind: "question", title: questions[0]?.text ?? name, questions });
    return;
  }
  const title = asked?.name === "write" ? `write ${asked.input.path}` : `run ${asked?.input.command ?? name}`;
  writer.event({ ...common, kind: "approval", title });
}
