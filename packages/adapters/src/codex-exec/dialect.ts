import type { Asked, Continuation, Dialect, Effect, Exit, Heard, LaunchLine } from "@fairlead/contract";
import { callEnded, callRequested, callStarted, entered, identified, metered, parseJsonLine } from "@fairlead/kit";
import { patience, patientDialect, quietTalk, takeUp, turnOver } from "@fairlead/kit";
import type { Message, Meters, Patient, StepWriter } from "@fairlead/kit";
import { changesIn, failureOf, Line, readingOf, resultOf, saidIn, toolOf, type Item } from "./wire.ts";

export interface State extends Patient {
  readonly meters: Meters;
  /** Whether it has said that the turn is over; it is when the process is. */
  readonly done: boolean;
}

export interface Manner {
  /** How to say something in a conversation, or in a new one. */
  readonly line: (text: string, agentSessionId: string | null) => LaunchLine;
  readonly continues: Continuation | null;
  /** The model that was set, if any: it does not say itself which one it asks. */
  readonly model: string | null;
  readonly retryDeadline: number;
}

type Writer = StepWriter<State>;
const quiet = { calls: {}, asks: {}, trouble: null, done: false } as const;
const dumb = "It cannot ask in this way of speaking to it: what its mode does not allow it will not do.";
const uncounted = "How much this conversation took before is not known: its first turn here is not counted.";
/** Said at every start, though its standard input is at its end. */
const inputAwaited = "Reading additional input from stdin...";

/** A process for each message. */
export function dialectOf(manner: Manner): Dialect<State> {
  return patientDialect<State>({
    start: { ...quietTalk, ...quiet, heard: false, meters: {} },
    deadline: manner.retryDeadline,
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
    stop: interrupt,
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  if (wish.type === "open" || wish.type === "resume") {
    const { agentSessionId } = entered(writer, wish.type, manner.continues);
    if (wish.type === "resume") return;
    writer.warn(dumb);
    if (agentSessionId !== null) writer.warn(uncounted);
  } else if (wish.type === "send") takeUp(writer, wish, speaking(manner, writer));
  else {
    if (wish.type !== "interrupt") writer.set({ waiting: [] });
    interrupt(writer);
  }
}

function speaking(manner: Manner, writer: Writer): (message: Message) => Effect {
  const agentSessionId = writer.state.agentSessionId ?? manner.continues?.agentSessionId ?? null;
  return ({ text }) => ({ type: "launch", line: manner.line(text, agentSessionId) });
}

function interrupt(writer: Writer): void {
  if (writer.state.current !== null) writer.set({ interrupting: true }).effect({ type: "kill" });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  if (heard.kind === "exited") exited(manner, writer, heard.exit);
  if (heard.kind !== "line") return;
  if (heard.stream === "err") complained(writer, heard.text);
  else if (!understood(manner, writer, heard.text)) writer.unrecognized(heard.text);
}

function complained(writer: Writer, words: string): void {
  const failure = failureOf(words);
  if (failure.category === "session-not-found") writer.set({ trouble: { ...failure, over: true } });
  else if (words !== inputAwaited) writer.warn(words);
}

function understood(manner: Manner, writer: Writer, text: string): boolean {
  const line = Line.safeParse(parseJsonLine(text)).data;
  const { current } = writer.state;
  if (line === undefined || current === null) return false;
  const { type, thread_id: thread, item, usage, error, message } = line;
  if (type === "thread.started" && thread !== "") identified(writer, thread, manner.model);
  else if (type === "error") {
    patience.troubled(writer, manner.retryDeadline, failureOf(message));
    writer.warn(message);
  } else if (type === "turn.failed") {
    const says = error?.message ?? "It did not say why.";
    if (!writer.state.trouble?.over) writer.set({ trouble: { ...failureOf(says), over: true } });
  } else if (type === "turn.completed") {
    writer.set({ done: true, trouble: null });
    const before = manner.continues?.agentSessionId == null ? {} : ({ counted: "before" } as const);
    if (usage !== undefined) metered(writer, { ...readingOf(usage, manner.model ?? "default"), ...before });
  } else if (/^item\.(started|updated|completed)$/.test(type) && item !== undefined) {
    patience.relieved(writer);
    // Each process counts its items from 0.
    return itemHeard(writer, item, `${current.turn}/${item.id}`, type === "item.completed");
  } else return type === "turn.started";
  return true;
}

function itemHeard(writer: Writer, item: Item, call: string, ended: boolean): boolean {
  const tool = toolOf(item);
  if (tool === null) {
    const said = ended ? saidIn(item) : [];
    writer.event(...(said ?? []));
    return said !== null;
  }
  if (writer.state.calls[call] === undefined) callRequested(writer, { call, ...tool });
  callStarted(writer, call);
  if (!ended) return true;
  const result = resultOf(item);
  if (result.reason === undefined) writer.event(...changesIn(item, call));
  callEnded(writer, call, result);
  return true;
}

function exited(manner: Manner, writer: Writer, exit: Exit): void {
  const { current, trouble, interrupting, done } = writer.state;
  if (current === null) return;
  const died = !trouble?.over && !interrupting && !done;
  if (died) {
    const how = exit.error ?? exit.signal ?? `exit code ${exit.code}`;
    const category = exit.error === undefined ? "agent-died" : "not-started";
    writer.raise({ category, says: `Its process ended in the middle of a turn: ${how}.` });
  }
  const stopped = interrupting ? "interrupted" : "completed";
  writer.set(quiet);
  turnOver(writer, died || trouble?.over ? "failed" : stopped, speaking(manner, writer));
}
