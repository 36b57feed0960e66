import type { Dialect, Effect, Exit, Heard, LaunchLine, Asked } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, identified, metered, parseJsonLine } from "@fairlead/kit";
import { quietTalk, takeUp, turnOver, writtenDialect } from "@fairlead/kit";
import type { Calls, Meters, StepWriter, Talk } from "@fairlead/kit";
import { categoryOf, endOf, fileOf, model, plain, say, Spoken, tokensOf, unknownThread } from "./wire.ts";
import type { FileChange, SpokenOf } from "./wire.ts";

export interface State extends Talk {
  readonly calls: Calls;
  readonly meters: Meters;
  /** Files that open calls are about to change. */
  readonly files: Readonly<Record<string, FileChange>>;
  /** How the turn ended by its own account: null until it says, then its error, or that there was none. */
  readonly result: { readonly error: string | null } | null;
  /** Its words when it did not know the thread. */
  readonly unknown: string | null;
  /** What took too long, once we have lost patience. */
  readonly late: string | null;
}

export interface Manner {
  launch(agentSessionId: string | null): LaunchLine;
  readonly continues: string | null;
  /** How long it may say nothing while its model is to answer, and while a tool is to end. */
  readonly modelDeadline: number;
  readonly toolDeadline: number;
  readonly notices: readonly { readonly level: "info" | "warning"; readonly message: string }[];
}

type Writer = StepWriter<State>;
const silence = "silence";
/** Milliseconds that it may take to leave after its last word. */
const farewell = 10_000;
const quiet = { calls: {}, files: {}, result: null, unknown: null, late: null } as const;

export function dialectOf(manner: Manner): Dialect<State> {
  return writtenDialect<State>({
    start: { ...quietTalk, ...quiet, meters: {} },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

/** Every message is a process of its own, in the thread of the one before. */
function launch(manner: Manner, { state }: Writer): () => Effect {
  return () => ({ type: "launch", line: manner.launch(state.proving ?? state.agentSessionId) });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  const { agentSessionId, current } = writer.state;
  switch (wish.type) {
    case "open":
      for (const notice of manner.notices) writer.event({ type: "status.reported", ...notice });
      writer.set({ proving: manner.continues });
      break;
    case "resume":
      // Without a name there is nothing to prove, and the first turn will give it one.
      if (agentSessionId === null) writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
      writer.set({ proving: agentSessionId });
      break;
    case "send":
      takeUp(writer, wish, launch(manner, writer));
      break;
    case "pause":
    case "end":
      writer.set({ waiting: [] });
      if (current !== null) interrupt(writer);
      break;
    case "interrupt":
      if (current !== null) interrupt(writer);
      break;
    case "answer":
    case "steer": // Neither is declared, so neither is granted.
  }
}

function interrupt(writer: Writer): void {
  writer.set({ interrupting: true }).effect({ type: "kill" });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  const { current, result } = writer.state;
  if (heard.kind === "launched" && current !== null) {
    writer.effect({ type: "say", text: say(current.text) }, { type: "hangup" });
    listen(manner, writer);
  }
  if (heard.kind === "alarm" && heard.name === silence && current !== null) {
    if (result === null) writer.set({ late: lateness(manner, writer.state) });
    writer.effect({ type: "kill" });
  }
  if (heard.kind === "exited") exited(manner, writer, heard.exit);
  if (heard.kind !== "line") return;
  if (heard.stream === "err") return complained(writer, plain(heard.text));
  const spoken = Spoken.safeParse(parseJsonLine(heard.text));
  if (!spoken.success) {
    writer.event({ type: "unrecognized", reason: "not a known message", raw: heard.text.slice(0, 4000) });
    return;
  }
  understand(writer, spoken.data);
  if (current !== null) listen(manner, writer);
}

/** Waits for its next word, and not for ever. */
function listen({ modelDeadline, toolDeadline }: Manner, writer: Writer): void {
  const { result, calls } = writer.state;
  const working = Object.keys(calls).length > 0 ? toolDeadline : modelDeadline;
  writer.effect({ type: "alarm", name: silence, after: result === null ? working : farewell });
}

function lateness({ modelDeadline, toolDeadline }: Manner, { calls }: State): string {
  const tools = Object.values(calls).map(({ name }) => name);
  if (tools.length === 0) return `Its model did not answer in ${modelDeadline} ms.`;
  const why = "It may have waited for an approval, which nobody can give it in this mode.";
  return `${tools.join(", ")} did not end in ${toolDeadline} ms. ${why}`;
}

function complained(writer: Writer, words: string): void {
  if (unknownThread.test(words)) writer.set({ unknown: words });
  else if (words !== "") writer.event({ type: "status.reported", level: "warning", message: words });
}

function understand(writer: Writer, spoken: Spoken): void {
  switch (spoken.type) {
    case "system":
      identified(writer, spoken.session_id, model);
      break;
    case "assistant":
      assistant(writer, spoken);
      break;
    case "user":
      toolsEnded(writer, spoken);
      break;
    case "result":
      writer.set({ result: { error: spoken.is_error ? (spoken.error ?? "It does not say what went wrong.") : null } });
      break;
    default:
      spoken satisfies never;
  }
}

function assistant(writer: Writer, { message, parent_tool_use_id: within }: SpokenOf<"assistant">): void {
  const parent = within == null ? {} : { parent: within };
  for (const block of message.content) {
    if (block.type === "text") writer.event({ type: "text.ended", text: block.text, ...parent });
    else if (block.type === "thinking") writer.event({ type: "reasoning.ended", text: block.thinking, ...parent });
    else if (block.type === "tool_use") {
      const { id: call, name, input } = block;
      callRequested(writer, { call, name, input, ...parent });
      const file = fileOf(name, input);
      if (file !== undefined) writer.set({ files: { ...writer.state.files, [call]: file } });
    }
  }
  if (message.usage == null) return;
  metered(writer, { kind: "delta", provider: "amp", model, tokens: tokensOf(message.usage), cost: null });
}

function toolsEnded(writer: Writer, { message }: SpokenOf<"user">): void {
  for (const block of message.content) {
    if (block.type !== "tool_result") continue;
    const call = block.tool_use_id;
    const { [call]: file, ...files } = writer.state.files;
    const end = endOf(block.content, block.is_error === true);
    if (file !== undefined && end.reason === undefined) {
      callStarted(writer, call);
      writer.event({ type: "file.changed", ...file, call });
    }
    writer.set({ files });
    callEnded(writer, call, end);
  }
}

/** The turn is over when its process is; the exit code says nothing, it is 0 after most errors. */
function exited(manner: Manner, writer: Writer, exit: Exit): void {
  const { result, late, unknown, interrupting, current } = writer.state;
  if (current === null) return;
  writer.effect({ type: "disarm", name: silence });
  const fail = (category: ReturnType<typeof categoryOf>, message: string): "failed" => {
    writer.event({ type: "error.raised", category, message });
    return "failed";
  };
  const ending = (): "completed" | "interrupted" | "failed" => {
    if (result !== null && result.error === null) return "completed";
    if (late !== null) return fail("timed-out", late);
    if (interrupting) return "interrupted";
    if (result?.error != null) return fail(categoryOf(result.error), result.error);
    if (unknown !== null) return fail("session-not-found", unknown);
    if (exit.error !== undefined) return fail("not-started", exit.error);
    return fail("agent-died", `Its process ended without a result: ${exit.signal ?? `exit code ${exit.code}`}.`);
  };
  const outcome = ending();
  writer.set(quiet);
  turnOver(writer, outcome, launch(manner, writer));
}
