import { emptyKeyedMap, keyedMap, type KeyedMap } from "@fairlead/contract";
import type { AgentCommand, Answer, Continuation, Dialect } from "@fairlead/contract";
import type { Effect, LaunchCommand, Observation, TranscriptPart } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, defineDialect, failureCategory, finishTurn } from "@fairlead/kit";
import { initialConversation, parseJsonLine, planConversation, sessionIdentified, submit } from "@fairlead/kit";
import { noCalls, terminalTurnEnded, terminalTurnStarted } from "@fairlead/kit";
import type { UserMessage, TransitionWriter, ConversationState, TerminalTurnState } from "@fairlead/kit";
import { describeScriptedCall } from "./actions.ts";
import { ScriptedToolCall, formatScriptedInput, ScriptedAgentOutput } from "./wire.ts";

export interface ScriptedState extends ConversationState, TerminalTurnState {
  /** Open decisions, with the input in the request. */
  readonly pendingDecisions: KeyedMap<unknown>;
}

export interface ScriptedDialectOptions {
  launch(agentSessionId: string | null): LaunchCommand;
  readonly continues: Continuation | null;
}

type Writer = TransitionWriter<ScriptedState>;
const createMessageEffect = (message: UserMessage): Effect => ({
  type: "write",
  text: formatScriptedInput({ type: "message", text: message.text }),
});

export function createScriptedDialect(options: ScriptedDialectOptions): Dialect<ScriptedState> {
  return defineDialect<ScriptedState>({
    initialState: { ...initialConversation, calls: noCalls, pendingDecisions: emptyKeyedMap },
    observe,
    handle: (writer, command) => handle(options, writer, command),
    readTranscript,
  });
}

function handle(options: ScriptedDialectOptions, writer: Writer, command: AgentCommand): void {
  switch (command.type) {
    case "open":
    case "resume":
      writer.effect({
        type: "launch",
        command: options.launch(planConversation(writer, command.type, options.continues).agentSessionId),
      });
      break;
    case "send":
      submit(writer, command, createMessageEffect);
      break;
    case "steer":
      writer.effect({ type: "write", text: formatScriptedInput({ type: "steer", text: command.text }) });
      break;
    case "answer":
      answerDecision(writer, command.decision, command.answer);
      break;
    case "interrupt":
    case "pause":
    case "end":
      if (writer.state.current === null) break;
      writer.set({ interrupting: true }).effect({ type: "write", text: formatScriptedInput({ type: "interrupt" }) });
      break;
    default:
      command satisfies never;
  }
}

function answerDecision(writer: Writer, decision: string, answer: Answer): void {
  const pendingInput = keyedMap.get(writer.state.pendingDecisions, decision);
  writer.set({ pendingDecisions: keyedMap.remove(writer.state.pendingDecisions, decision) });
  const allow = answer.type !== "deny";
  const inputWithAnswers =
    answer.type === "choose" ? { ...(pendingInput as object), answers: answer.answers } : undefined;
  const input = answer.type === "allow" ? answer.input : inputWithAnswers;
  const denial = answer.type === "deny" ? { message: answer.message, stop: answer.interrupt } : {};
  const option = answer.type === "allow" ? answer.option : undefined;
  const chosen = { ...(input !== undefined && { input }), ...(option !== undefined && { option }) };
  const answerMessage = { type: "answer", decision, allow, ...chosen, ...denial } as const;
  writer.effect({ type: "write", text: formatScriptedInput(answerMessage) });
}

function observe(writer: Writer, observation: Observation): void {
  if (observation.kind === "exited")
    writer.set({ current: null, queue: [], calls: noCalls, pendingDecisions: emptyKeyedMap });
  if (observation.kind === "tool-result") {
    const { call, outcome, text } = observation;
    writer.effect({ type: "write", text: formatScriptedInput({ type: "tool-result", call, outcome, text }) });
  }
  if (observation.kind !== "line") return;
  const parsed = ScriptedAgentOutput.safeParse(parseJsonLine(observation.text));
  if (parsed.success) handleOutput(writer, parsed.data);
  else if (observation.stream === "err") writer.warn(observation.text);
  else writer.unrecognized(observation.text);
}

function handleOutput(writer: Writer, incoming: ScriptedAgentOutput): void {
  switch (incoming.type) {
    case "hello":
      sessionIdentified(writer, incoming.conversation, incoming.model);
      break;
    case "delta":
      writer.delta({ type: incoming.what === "text" ? "text.delta" : "reasoning.delta", text: incoming.text });
      break;
    case "spoken":
      writer.event({ type: incoming.what === "text" ? "text.ended" : "reasoning.ended", text: incoming.text });
      break;
    case "call": {
      const { call, name, input } = incoming;
      callRequested(writer, { call, name, input, action: describeScriptedCall(name, input) });
      break;
    }
    case "running":
      callStarted(writer, incoming.call);
      break;
    case "result": {
      const { call, ok, output, file, denied, interrupted } = incoming;
      const change = file?.created ? "created" : "modified";
      if (file !== undefined) writer.event({ type: "file.changed", path: file.path, change, call });
      const failure = denied ? "denied" : interrupted ? "interrupted" : "failed";
      callEnded(writer, call, { output, reason: ok ? undefined : failure });
      break;
    }
    case "may-i":
      requestDecision(writer, incoming);
      break;
    case "use":
      writer.effect({ ...incoming, request: incoming.call });
      break;
    case "withdrawn":
      writer.event({
        type: "decision.resolved",
        decision: incoming.decision,
        outcome: "canceled",
        by: { kind: "agent" },
      });
      break;
    case "steered":
      if (writer.state.current === null) break;
      writer.event({ type: "turn.steered", turn: writer.state.current.turn, text: incoming.text });
      break;
    case "done":
      finishTurn(writer, incoming.outcome, createMessageEffect);
      break;
    case "failed": {
      const category = incoming.unknownConversation
        ? "session-not-found"
        : failureCategory(incoming.status, incoming.message);
      writer.raise({ category, message: incoming.message });
      finishTurn(writer, "failed", createMessageEffect);
      break;
    }
    default:
      incoming satisfies never;
  }
}

/** Reads the history that the terminal wrote: a message as a string, then what the agent said, then the end. */
function readTranscript(writer: Writer, { lines, isLast }: TranscriptPart): void {
  for (const line of lines) {
    const entry = parseJsonLine(line);
    const output = ScriptedAgentOutput.safeParse(entry).data;
    if (typeof entry === "string") terminalTurnStarted(writer, entry);
    else if (output?.type === "done") terminalTurnEnded(writer, output.outcome);
    else if (output?.type === "spoken" && writer.state.terminalTurn) handleOutput(writer, output);
  }
  if (isLast) terminalTurnEnded(writer, "interrupted");
}

function requestDecision(
  writer: Writer,
  { decision, call, name, input, options }: Extract<ScriptedAgentOutput, { type: "may-i" }>,
): void {
  const { pendingDecisions } = writer.state;
  if (keyedMap.has(pendingDecisions, decision)) {
    // An answer would allow both requests, and only the first was shown. A denial refuses both.
    writer.set({ pendingDecisions: keyedMap.remove(pendingDecisions, decision) });
    writer.event({ type: "decision.resolved", decision, outcome: "canceled", by: { kind: "runtime" } });
    const message = "The id of this request is in use.";
    writer.effect({ type: "write", text: formatScriptedInput({ type: "answer", decision, allow: false, message }) });
    return;
  }
  writer.set({ pendingDecisions: keyedMap.set(pendingDecisions, decision, input) });
  const toolCall = ScriptedToolCall.safeParse({ name, input }).data;
  const common = { type: "decision.requested", decision, call, tool: name, input } as const;
  if (toolCall?.name === "ask") {
    const questions = toolCall.input.questions.map(({ several, ...rest }) => ({ ...rest, multiSelect: several }));
    writer.event({ ...common, kind: "question", title: questions[0]?.text ?? name, questions });
    return;
  }
  const command = toolCall?.name === "run" ? toolCall.input.command : name;
  const title = toolCall?.name === "write" ? `write ${toolCall.input.path}` : `run ${command}`;
  const action = describeScriptedCall(name, input);
  writer.event({ ...common, kind: "approval", title, action, ...(options && { options }) });
}
