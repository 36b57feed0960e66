import type { AgentEvent, Answer, Asked, Continuation, Dialect } from "@fairlead/contract";
import type { Effect, EventOf, Heard, LaunchLine } from "@fairlead/contract";
import { askClosed, askWithdrawn, byItself, callEnded, callRequested, callStarted, entered, goOn } from "@fairlead/kit";
import { identified, jsonLine, metered, parseJsonLine, patience, patientDialect, quietRpc } from "@fairlead/kit";
import { quietTalk, rpcAsked as request, rpcHeard, takeUp, textOfContent, turnOver } from "@fairlead/kit";
import type { Message, Meters, Patient, Rpc, RpcHeard, StepWriter } from "@fairlead/kit";
import * as wire from "./wire.ts";

export interface State extends Patient {
  readonly rpc: Rpc;
  /** Who serves its model; null until its process has its conversation: until then, what is sent waits. */
  readonly provider: string | null;
  /** Its own name for the turn, once it has begun it. */
  readonly turnId: string | null;
  /** What its model has called in this turn; null once that has been told. */
  readonly made: Readonly<Record<string, wire.Tool | null>>;
  readonly asks: Readonly<Record<string, wire.Ask>>;
  readonly meters: Meters;
}

export interface Manner {
  readonly line: LaunchLine;
  /** What it is told of a conversation, new or old. */
  readonly thread: object;
  readonly continues: Continuation | null;
  readonly retryDeadline: number;
}

type Writer = StepWriter<State>;
type Outcome = EventOf<"turn.ended">["outcome"];
const clean = "thread/backgroundTerminals/clean";
const entering = /^(initialize|thread\/(start|resume|fork))$/;
const noTurn = { turnId: null, calls: {}, made: {}, asks: {}, trouble: null } as const;
const gone = { ...noTurn, rpc: quietRpc, provider: null, current: null, waiting: [], interrupting: false } as const;

export function dialectOf(manner: Manner): Dialect<State> {
  return patientDialect<State>({
    start: { ...quietTalk, ...gone, heard: false, meters: {} },
    deadline: manner.retryDeadline,
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
    stop: interrupt,
    // A command goes on in the background, and its model is asked what to do meanwhile.
    isBusy: ({ asks, calls }) =>
      Object.keys(asks).length > 0 || Object.values(calls).some(({ name }) => name !== "exec_command"),
  });
}

function ask(manner: Manner, writer: Writer, wish: Asked): void {
  const { current, provider, waiting } = writer.state;
  if (wish.type === "open" || wish.type === "resume") {
    entered(writer, wish.type, manner.continues);
    writer.effect({ type: "launch", line: manner.line }, request(writer, "initialize", wire.introduction));
  } else if (wish.type === "send") {
    if (provider !== null) takeUp(writer, wish, speaking(writer));
    else writer.set({ waiting: [...waiting, { turn: wish.turn, text: wish.text }] });
  } else if (wish.type === "steer") steer(writer, wish.text, wish.text);
  else if (wish.type === "answer") answer(writer, wish.decision, wish.answer);
  else if (current !== null) interrupt(writer);
}

function speaking(writer: Writer): (message: Message) => Effect {
  return ({ text }) =>
    request(writer, "turn/start", { threadId: writer.state.agentSessionId, input: wire.input(text) });
}

function steer(writer: Writer, text: string, about: string): void {
  const { agentSessionId: threadId, turnId: expectedTurnId } = writer.state;
  writer.effect(request(writer, "turn/steer", { threadId, expectedTurnId, input: wire.input(text) }, about));
}

/** A turn that it has not begun it refuses to interrupt: that is made up for when it begins. */
function interrupt(writer: Writer): void {
  const { agentSessionId: threadId, turnId } = writer.state;
  writer.set({ interrupting: true });
  if (turnId !== null) writer.effect(request(writer, "turn/interrupt", { threadId, turnId }));
}

function answer(writer: Writer, decision: string, given: Answer): void {
  const asked = askClosed<wire.Ask, State>(writer, decision);
  if (asked === undefined) return;
  const { call, id, questions } = asked;
  const result = wire.replyTo(asked, given);
  if (given.type === "deny") {
    callEnded(writer, call, { output: given.message, reason: "denied" });
    // A denial has no room for words. Said into the turn beforehand, they reach its model together with the denial.
    if (given.interrupt) writer.set({ interrupting: true });
    else if (given.message !== "") steer(writer, given.message, "");
  } else callStarted(writer, call);
  writer.effect({ type: "say", text: jsonLine({ id, result }) });
  // That a question is over it does not tell.
  if (questions !== undefined) callEnded(writer, call, { output: JSON.stringify(result), reason: undefined });
}

function hear(manner: Manner, writer: Writer, heard: Heard): void {
  if (heard.kind === "exited") writer.set(gone);
  if (heard.kind !== "line") return;
  if (heard.stream === "err") writer.warn(heard.text);
  else if (!understood(manner, writer, heard.text)) writer.unrecognized(heard.text);
}

function understood(manner: Manner, writer: Writer, line: string): boolean {
  const told = rpcHeard(writer, line);
  if (told?.kind === "result") return granted(manner, writer, told);
  if (told?.kind === "failure") return refused(writer, told);
  if (told?.kind === "request") return requested(writer, told);
  const notice = wire.Notice.safeParse(told?.params ?? {}).data;
  return told !== null && notice !== undefined && noticed(manner, writer, told.method, notice);
}

function granted(manner: Manner, writer: Writer, { method, about, result }: RpcHeard & { kind: "result" }): boolean {
  const { current, proving: threadId, forking } = writer.state;
  if (method === "initialize") {
    writer.effect({ type: "say", text: jsonLine({ method: "initialized" }) });
    // Without raw events it keeps silent about commands that its sandbox stops. A resumed thread cannot have them.
    const more = threadId === null ? { experimentalRawEvents: true } : { threadId, excludeTurns: true };
    const how = threadId === null ? "start" : forking ? "fork" : "resume";
    writer.effect(request(writer, `thread/${how}`, { ...manner.thread, ...more }));
  } else if (entering.test(method)) {
    const opened = wire.Opened.safeParse(result).data;
    if (opened === undefined) return false;
    identified(writer, opened.thread.id, opened.model);
    goOn(writer.set({ provider: opened.modelProvider }), speaking(writer));
  } else if (method === "turn/steer" && about !== "" && current !== null) {
    writer.event({ type: "turn.steered", turn: current.turn, text: about });
  } else if (method === clean) over(writer, about as Outcome);
  return true;
}

function refused(writer: Writer, { method, about, error }: RpcHeard & { kind: "failure" }): boolean {
  const failure = wire.failureOf({ message: error.message });
  if (entering.test(method)) writer.set({ waiting: [] }).raise(failure).effect({ type: "kill" });
  else if (method === "turn/start") over(writer.raise(failure), "failed");
  else writer.warn(`${method}: ${failure.says}`);
  if (method === clean) over(writer, about as Outcome);
  return true;
}

function requested(writer: Writer, { id, method, params }: RpcHeard & { kind: "request" }): boolean {
  const { current, turnId, calls, asks } = writer.state;
  const asked = wire.Request.safeParse(params).data;
  if (current === null || asked === undefined || !wire.isForPerson(method, asked)) {
    writer.effect({ type: "say", text: jsonLine({ id, error: wire.noSuchThing }) });
    return false;
  }
  const { serverName, questions, command } = asked;
  // It does not say which call of a server's tool it asks about.
  const call = asked.itemId ?? Object.keys(calls).find((open) => calls[open]?.name.startsWith(`${serverName}.`)) ?? "";
  const decision = `${turnId}/${id}`;
  writer.set({ asks: { ...asks, [decision]: { id, method, call, ...(questions && { questions }) } } });
  if (questions) called(writer, call, { name: "request_user_input", input: { questions } });
  const { name: tool, input } = writer.state.calls[call] ?? { name: serverName ?? "exec_command", input: { command } };
  writer.event({ type: "decision.requested", decision, call, tool, input, ...wire.questionOf(tool, asked) });
  return true;
}

function noticed(manner: Manner, writer: Writer, method: string, notice: wire.Notice): boolean {
  const { agentSessionId, current, turnId, interrupting, provider, model } = writer.state;
  const { threadId, delta: text, turn, tokenUsage } = notice;
  // It speaks of its sub-agents' threads, too: of those only the calls and the tokens count.
  const ours = threadId == null || threadId === agentSessionId;
  if (method === "item/started" || method === "item/completed") {
    const item = wire.Item.safeParse(notice.item).data;
    // What outlives its turn has been told to its end.
    if (item === undefined || current === null || (ours && notice.turnId !== turnId)) return item !== undefined;
    return itemHeard(writer, item, ours, method === "item/completed");
  }
  if (method === "thread/tokenUsage/updated" && tokenUsage) {
    const reading = wire.readingOf(tokenUsage.total, provider ?? "", model ?? "");
    metered(writer, { ...reading, counter: threadId ?? "", ...(turnId === null && { counted: "before" }) });
  } else if (!ours) return true;
  else if (method === "turn/started" && turn) {
    if (current === null) byItself(writer);
    writer.set({ turnId: turn.id });
    if (interrupting) interrupt(writer);
  } else if (method === "turn/completed" && turn) completed(writer, turn);
  else if (method === "item/agentMessage/delta") writer.delta({ type: "text.delta", text });
  else if (method === "item/reasoning/summaryTextDelta") writer.delta({ type: "reasoning.delta", text });
  else if (method === "rawResponseItem/completed") rawHeard(writer, notice.item);
  else if (method === "error" && notice.error) {
    // What it gives up upon comes again with the end of the turn.
    if (notice.willRetry !== true || writer.state.trouble?.over) return true;
    const failure = wire.failureOf(notice.error);
    patience.troubled(writer, manner.retryDeadline, failure);
    writer.warn(failure.says);
  } else if (method === "serverRequest/resolved") askWithdrawn<wire.Ask, State>(writer, notice.requestId);
  else return tell(writer, wire.toEvents(method, notice));
  return true;
}

/** False when what was heard has no known meaning. */
function tell(writer: Writer, events: readonly AgentEvent[] | null): boolean {
  writer.event(...(events ?? []));
  return events !== null;
}

function called(writer: Writer, call: string, { name, input }: wire.Tool): void {
  writer.set({ made: { ...writer.state.made, [call]: null } });
  callRequested(writer, { call, name, input });
}

function itemHeard(writer: Writer, item: wire.Item, ours: boolean, ended: boolean): boolean {
  const { made, interrupting } = writer.state;
  const { id: call, processId } = item;
  const tool = wire.toolOf(item);
  if (ended) patience.relieved(writer);
  if (tool === null) return tell(writer, ours && ended ? wire.saidIn(item) : []);
  if (made[call] !== null) called(writer, call, tool);
  const result = ended ? wire.resultOf(item, interrupting) : null;
  const done = result !== null && result.reason === undefined;
  if (processId || done) callStarted(writer, call);
  if (done) writer.event(...wire.changesIn(item));
  if (result !== null) callEnded(writer, call, result);
  return true;
}

/** A call that never became an item, as one that the sandbox stopped, is told of when it is over. */
function rawHeard(writer: Writer, item: unknown): void {
  const { made, current } = writer.state;
  const raw = wire.Raw.safeParse(item).data;
  if (raw === undefined || current === null) return;
  const { call_id: call, output: given } = raw;
  const tool = made[call];
  if (tool === undefined) {
    const input = raw.input ?? parseJsonLine(raw.arguments ?? "");
    writer.set({ made: { ...made, [call]: { name: raw.name ?? "", input } } });
  } else if (tool !== null && given !== undefined) {
    const output = textOfContent(given);
    called(writer, call, tool);
    callEnded(writer, call, { output, reason: wire.failedWords.test(output) ? "failed" : undefined });
  }
}

function completed(writer: Writer, { status, error }: NonNullable<wire.Notice["turn"]>): void {
  const { calls, agentSessionId: threadId, trouble } = writer.state;
  const interrupted = status === "interrupted";
  const failure = status === "failed" ? wire.failureOf(error) : interrupted && trouble?.over ? trouble : null;
  if (failure) writer.raise(failure);
  const outcome = failure ? "failed" : interrupted ? "interrupted" : "completed";
  // A command outlives the turn in which it was interrupted, as a terminal in the background.
  const running = Object.values(calls).some(({ name }) => name === "exec_command");
  if (!interrupted || !running) over(writer, outcome);
  else writer.set({ trouble: null }).effect(request(writer, clean, { threadId }, outcome));
}

function over(writer: Writer, outcome: Outcome): void {
  writer.set(noTurn);
  turnOver(writer, outcome, speaking(writer));
}
