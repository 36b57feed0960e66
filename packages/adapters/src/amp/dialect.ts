import { keyedMap, omitKey, ownValue } from "@fairlead/contract";
import type { AgentCommand, Dialect, Effect, Exit, LaunchCommand, Observation } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, defineDialect, finishTurn } from "@fairlead/kit";
import {
  initialConversation,
  noCalls,
  parseJsonLine,
  patternHead,
  reportUsage,
  sessionIdentified,
  submit,
} from "@fairlead/kit";
import type { Calls, Meters, TransitionWriter, ConversationState } from "@fairlead/kit";
import { describeAmpCall } from "./actions.ts";
import {
  categorizeAmpError,
  parseAmpToolResult,
  findAmpFileChange,
  ampModel,
  stripTerminalCodes,
  formatAmpInput,
  AmpMessage,
  parseAmpUsage,
  ampUnknownThreadPattern,
} from "./wire.ts";
import type { AmpFileChange, AmpMessageOf } from "./wire.ts";

export interface AmpState extends ConversationState {
  readonly calls: Calls;
  readonly meters: Meters;
  /** The file change of each open call that changes a file. */
  readonly files: Readonly<Record<string, AmpFileChange>>;
  /** The result that Amp reported for the turn; null until then. */
  readonly result: { readonly error: string | null } | null;
  /** Amp's error for an unknown thread. */
  readonly unknownThreadMessage: string | null;
  /** Describes what exceeded its deadline, once the dialect has killed the process for it. */
  readonly timeoutMessage: string | null;
}

export interface AmpDialectOptions {
  launch(agentSessionId: string | null): LaunchCommand;
  readonly continues: string | null;
  /** How long Amp may be silent while it waits for its model, and while a tool runs, in ms. */
  readonly modelDeadline: number;
  readonly toolDeadline: number;
  readonly notices: readonly { readonly level: "info" | "warning"; readonly message: string }[];
}

type Writer = TransitionWriter<AmpState>;
// kit's watchdog does not fit: Amp needs a deadline for its model, one for tools and one for the exit after the result.
// Recordings contain the alarm's name.
const silenceAlarm = "silence";
/** How long the process may take to exit after the result, in ms. */
const exitTimeout = 10_000;
const noTurn = { calls: noCalls, files: {}, result: null, unknownThreadMessage: null, timeoutMessage: null } as const;

export function createAmpDialect(options: AmpDialectOptions): Dialect<AmpState> {
  return defineDialect<AmpState>({
    initialState: { ...initialConversation, ...noTurn, meters: {} },
    observe: (writer, observation) => observe(options, writer, observation),
    handle: (writer, command) => handle(options, writer, command),
  });
}

/** Launches a process for each message, in the thread of the previous one. */
function createLaunchEffect(options: AmpDialectOptions, { state }: Writer): () => Effect {
  return () => ({ type: "launch", command: options.launch(state.expectedSessionId ?? state.agentSessionId) });
}

function handle(options: AmpDialectOptions, writer: Writer, command: AgentCommand): void {
  const { agentSessionId, current } = writer.state;
  switch (command.type) {
    case "open":
      for (const notice of options.notices) writer.event({ type: "status.reported", ...notice });
      writer.set({ expectedSessionId: options.continues });
      break;
    case "resume":
      // Without a thread there is nothing to verify. The first turn creates one.
      if (agentSessionId === null) writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
      writer.set({ expectedSessionId: agentSessionId });
      break;
    case "send":
      submit(writer, command, createLaunchEffect(options, writer));
      break;
    case "interrupt":
    case "pause":
    case "end":
      if (current !== null) interrupt(writer);
      break;
    case "answer":
    case "steer": // The manifest does not declare these, so they have no effect.
  }
}

function interrupt(writer: Writer): void {
  writer.set({ interrupting: true }).effect({ type: "kill" });
}

function observe(options: AmpDialectOptions, writer: Writer, observation: Observation): void {
  const { current, result } = writer.state;
  if (observation.kind === "launched" && current !== null) {
    writer.effect({ type: "write", text: formatAmpInput(current.text) }, { type: "close-stdin" });
    armWatchdog(options, writer);
  }
  if (observation.kind === "alarm" && observation.name === silenceAlarm && current !== null) {
    if (result === null) writer.set({ timeoutMessage: describeTimeout(options, writer.state) });
    writer.effect({ type: "kill" });
  }
  if (observation.kind === "exited") handleExit(options, writer, observation.exit);
  if (observation.kind !== "line") return;
  if (observation.stream === "err") return handleStderr(writer, stripTerminalCodes(observation.text));
  const parsed = AmpMessage.safeParse(parseJsonLine(observation.text));
  if (!parsed.success) {
    writer.unrecognized(observation.text);
    return;
  }
  handleMessage(writer, parsed.data);
  if (current !== null) armWatchdog(options, writer);
}

/** Limits the time until the next message, or until the exit. */
function armWatchdog({ modelDeadline, toolDeadline }: AmpDialectOptions, writer: Writer): void {
  const { result, calls } = writer.state;
  const silenceDeadline = keyedMap.size(calls) > 0 ? toolDeadline : modelDeadline;
  writer.effect({ type: "alarm", name: silenceAlarm, after: result === null ? silenceDeadline : exitTimeout });
}

function describeTimeout({ modelDeadline, toolDeadline }: AmpDialectOptions, { calls }: AmpState): string {
  const tools = keyedMap.values(calls).map(({ name }) => name);
  if (tools.length === 0) return `The model did not answer within ${modelDeadline} ms.`;
  const why = "It may have waited for an approval, which this mode cannot give.";
  return `${tools.join(", ")} did not end within ${toolDeadline} ms. ${why}`;
}

function handleStderr(writer: Writer, text: string): void {
  if (ampUnknownThreadPattern.test(patternHead(text))) writer.set({ unknownThreadMessage: text });
  else if (text !== "") writer.warn(text);
}

function handleMessage(writer: Writer, message: AmpMessage): void {
  switch (message.type) {
    case "system":
      sessionIdentified(writer, message.session_id, ampModel);
      break;
    case "assistant":
      handleAssistantMessage(writer, message);
      break;
    case "user":
      handleToolResults(writer, message);
      break;
    case "result":
      writer.set({
        result: { error: message.is_error ? (message.error ?? "Amp gave no reason.") : null },
      });
      break;
    default:
      message satisfies never;
  }
}

function handleAssistantMessage(
  writer: Writer,
  { message, parent_tool_use_id: parentCall }: AmpMessageOf<"assistant">,
): void {
  const parent = parentCall == null ? {} : { parent: parentCall };
  for (const block of message.content) {
    if (block.type === "text") writer.event({ type: "text.ended", text: block.text, ...parent });
    else if (block.type === "thinking") writer.event({ type: "reasoning.ended", text: block.thinking, ...parent });
    else if (block.type === "tool_use") {
      const { id: call, name, input } = block;
      callRequested(writer, { call, name, input, action: describeAmpCall(name, input), ...parent });
      const file = findAmpFileChange(name, input);
      if (file !== undefined) writer.set({ files: { ...writer.state.files, [call]: file } });
    }
  }
  if (message.usage == null) return;
  reportUsage(writer, {
    kind: "delta",
    provider: "amp",
    model: ampModel,
    tokens: parseAmpUsage(message.usage),
    cost: null,
  });
}

function handleToolResults(writer: Writer, { message }: AmpMessageOf<"user">): void {
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    const call = block.tool_use_id;
    const file = ownValue(writer.state.files, call);
    const result = parseAmpToolResult(block.content, block.is_error === true);
    if (file !== undefined && result.reason === undefined) {
      callStarted(writer, call);
      writer.event({ type: "file.changed", ...file, call });
    }
    writer.set({ files: omitKey(writer.state.files, call) });
    callEnded(writer, call, result);
  }
}

/** Ends the turn when its process exits. The exit code does not matter: it is 0 after most errors. */
function handleExit(options: AmpDialectOptions, writer: Writer, exit: Exit): void {
  const { result, timeoutMessage, unknownThreadMessage, interrupting, current } = writer.state;
  if (current === null) return;
  writer.effect({ type: "disarm", name: silenceAlarm });
  const fail = (category: ReturnType<typeof categorizeAmpError>, message: string): "failed" => {
    writer.raise({ category, message });
    return "failed";
  };
  const decideOutcome = (): "completed" | "interrupted" | "failed" => {
    if (result !== null && result.error === null) return "completed";
    if (timeoutMessage !== null) return fail("timed-out", timeoutMessage);
    if (interrupting) return "interrupted";
    if (result?.error != null) return fail(categorizeAmpError(result.error), result.error);
    if (unknownThreadMessage !== null) return fail("session-not-found", unknownThreadMessage);
    if (exit.error !== undefined) return fail("not-started", exit.error);
    return fail("agent-died", `The process exited without a result: ${exit.signal ?? `exit code ${exit.code}`}.`);
  };
  const outcome = decideOutcome();
  writer.set(noTurn);
  finishTurn(writer, outcome, createLaunchEffect(options, writer));
}
