import type { Dialect, Heard, Asked } from "@fairlead/contract";
import { rpc, type RpcHeard } from "../json-rpc.ts";
import { metered } from "../meter.ts";
import { takeUp } from "../talk.ts";
import { writtenDialect } from "../written-dialect.ts";
import { enter, entered, greet, greeted, notEntered, readyIfSo, settledAlarm, settling } from "./entering.ts";
import { permissionAnswered, permissionAsked } from "./permission.ts";
import { cancelAlarm, cancelTurn, impatient, over, patienceAlarm } from "./prompt.ts";
import { promptFailed, promptOver, speaking, troubled } from "./prompt.ts";
import { chunkHeard, speechOver } from "./speech.ts";
import { isPrompting, quietAcp, refuse, type AcpManner, type AcpState, type Writer } from "./state.ts";
import { callUpdated } from "./tool-calls.ts";
import { Prompted, Updated, type Update } from "./wire.ts";

const longestWords = 500;
const mostWords = 5;

/** The client's side of the Agent Client Protocol, version 1: one process, one conversation, many turns. */
export function acpDialect(manner: AcpManner): Dialect<AcpState> {
  const cost = { before: manner.continues === null ? 0 : null, now: null };
  return writtenDialect<AcpState>({
    start: { ...quietAcp, cost },
    hear: (writer, heard) => hear(manner, writer, heard),
    ask: (writer, wish) => ask(manner, writer, wish),
  });
}

function ask(manner: AcpManner, writer: Writer, wish: Asked): void {
  const { agentSessionId, current, phase } = writer.state;
  switch (wish.type) {
    case "open":
      for (const message of manner.notices) writer.event({ type: "status.reported", level: "warning", message });
      start(manner, writer, manner.continues);
      break;
    case "resume":
      // Without a name there is nothing to prove: the conversation had not even begun.
      if (agentSessionId === null) writer.event({ type: "session.resumed", outcome: "fresh", agentSessionId });
      start(manner, writer, agentSessionId);
      break;
    case "send":
      takeUp(writer, wish, speaking(writer, manner));
      break;
    case "answer":
      permissionAnswered(writer, wish.decision, wish.answer);
      break;
    case "interrupt":
      if (phase === "ready") cancelTurn(writer);
      else over(writer, manner, "interrupted");
      break;
    case "pause":
    case "end":
      writer.set({ leaving: true });
      if (current !== null) cancelTurn(writer);
      break;
    case "steer": // The protocol has no word for it.
  }
}

function start(manner: AcpManner, writer: Writer, proving: string | null): void {
  writer.set({ proving, phase: "starting", leaving: false, lastWords: [] });
  writer.effect({ type: "launch", line: manner.launch() });
  greet(writer);
}

function hear(manner: AcpManner, writer: Writer, heard: Heard): void {
  switch (heard.kind) {
    case "line":
      if (heard.stream === "err") whispered(manner, writer, heard.text);
      else if (!understood(manner, writer, heard.text)) {
        writer.event({ type: "unrecognized", reason: "not a known message", raw: heard.text.slice(0, 4000) });
      }
      break;
    case "alarm":
      if (heard.name === patienceAlarm) impatient(writer, manner);
      else if (heard.name === cancelAlarm && isPrompting(writer.state)) writer.effect({ type: "kill" });
      else if (heard.name === settledAlarm && writer.state.phase === "settling") readyIfSo(writer, manner);
      break;
    case "exited":
      gone(writer);
      break;
    case "launched":
  }
}

/** What it says on standard error is a log: noted, told only if it dies, unless it lets slip what it says nowhere else. */
function whispered(manner: AcpManner, writer: Writer, text: string): void {
  const aside = manner.quirks.aside?.(text) ?? null;
  if (aside === null) {
    if (text.trim() === "") return;
    writer.set({ lastWords: [...writer.state.lastWords, text.slice(0, longestWords)].slice(-mostWords) });
  } else if (aside.type === "trouble") troubled(writer, manner, aside.status, aside.words);
  else if (aside.type === "failure") writer.set({ status: aside.status });
  else {
    metered(writer, aside.reading);
    writer.set({ trouble: null });
  }
}

function gone(writer: Writer): void {
  const { lastWords, leaving } = writer.state;
  speechOver(writer);
  if (!leaving && lastWords.length > 0) {
    const message = `It ended with these words: ${lastWords.join("\n")}`;
    writer.event({ type: "status.reported", level: "warning", message });
  }
  const { asked } = writer.state.rpc;
  writer.set({ rpc: { asked, open: {} }, current: null, waiting: [], calls: {}, asks: {}, told: {}, trouble: null });
}

function understood(manner: AcpManner, writer: Writer, line: string): boolean {
  const { rpc: next, heard } = rpc.hear(writer.state.rpc, line);
  if (heard === null) return false;
  writer.set({ rpc: next });
  switch (heard.kind) {
    case "notice":
      return heard.method === "session/update" ? updated(manner, writer, heard.params) : heard.method.startsWith("_");
    case "request":
      if (heard.method === "session/request_permission") {
        writer.set({ heard: true });
        return permissionAsked(writer, manner, heard.id, heard.params);
      }
      refuse(writer, heard.id, heard.method);
      // Some ask for files although none were offered, and then help themselves.
      return /^(fs|terminal)\//.test(heard.method);
    case "result":
      return answered(manner, writer, heard);
    case "failure":
      if (heard.method === "session/prompt") promptFailed(writer, manner, heard.error);
      else notEntered(writer, manner, heard);
      return true;
    default:
      return heard satisfies never;
  }
}

function answered(manner: AcpManner, writer: Writer, heard: Extract<RpcHeard, { kind: "result" }>): boolean {
  switch (heard.method) {
    case "initialize":
      return greeted(writer, manner, heard.result);
    case "authenticate":
      enter(writer, manner, heard.about, "signed-in");
      return true;
    case "session/new":
    case "session/load":
    case "session/resume":
      return entered(writer, manner, heard.method, heard.result);
    case "session/prompt": {
      const { data } = Prompted.safeParse(heard.result);
      promptOver(writer, manner, data ?? { stopReason: "unreadable" });
      return data !== undefined;
    }
    default:
      if (writer.state.phase === "starting") readyIfSo(writer, manner);
      return true;
  }
}

function updated(manner: AcpManner, writer: Writer, params: unknown): boolean {
  const update = Updated.safeParse(params).data?.update;
  if (update === undefined) return false;
  if (update.sessionUpdate === "usage_update") costTold(writer, update.cost?.amount);
  // Before and between prompts it only repeats what was said long ago, or talks to itself.
  if (writer.state.phase === "settling") settling(writer, manner);
  else if (isPrompting(writer.state)) said(manner, writer, update);
  return true;
}

function said(manner: AcpManner, writer: Writer, update: Update): void {
  writer.set({ heard: true });
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
    case "agent_thought_chunk":
      chunkHeard(writer, update, manner.quirks.thoughtPrefix);
      break;
    case "tool_call":
    case "tool_call_update":
      writer.set({ trouble: null });
      callUpdated(writer, manner, update);
      break;
    case "plan": {
      speechOver(writer);
      const states = { pending: "pending", in_progress: "active", completed: "done" } as const;
      const steps = update.entries.map(({ content, status }) => ({ text: content, state: states[status] }));
      writer.event({ type: "plan.updated", steps });
      break;
    }
    default: // Said of the session, not of the turn.
  }
}

/** A running total; the first one tells where we come in, when it had begun before us. */
function costTold(writer: Writer, now: number | undefined): void {
  if (now !== undefined) writer.set({ cost: { ...writer.state.cost, now } });
}
