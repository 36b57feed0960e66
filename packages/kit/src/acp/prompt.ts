import type { Effect, ErrorCategory, EventOf } from "@fairlead/contract";
import { failureCategory } from "../failure-category.ts";
import { parseJsonLine } from "../json-line.ts";
import type { RpcFailure } from "../json-rpc.ts";
import { turnOver, type Message } from "../talk.ts";
import { z } from "zod";
import type { AcpQuirks } from "./quirks.ts";
import { speechOver } from "./speech.ts";
import { isPrompting, notify, request, respond, type AcpManner, type Writer } from "./state.ts";
import { usageTold } from "./usage.ts";
import { FailureData, type Prompted } from "./wire.ts";

/** Goes off when its model may have been silent for too long. */
export const patienceAlarm = "patience";
/** Goes off when a turn that was cancelled does not end. */
export const cancelAlarm = "cancel";
const cancelPatience = 10_000;
/** How long it may take to enter a conversation once somebody waits for that. */
const enteringPatience = 60_000;

type Outcome = EventOf<"turn.ended">["outcome"];

/** How a message is taken up: at once if it can be, else as soon as the conversation has been entered. */
export function speaking(writer: Writer, manner: AcpManner): (message: Message) => Effect {
  return (message) => {
    const ready = writer.state.phase === "ready";
    if (ready) prompt(writer, message);
    return { type: "alarm", name: patienceAlarm, after: ready ? manner.retryDeadline : enteringPatience };
  };
}

/**
 * Says the message. In version 1 it counts as taken from here on, and the answer to it means that the turn is over; in
 * version 2 that answer only means that it was taken, and the end comes in an update: there it would call `promptOver`.
 */
function prompt(writer: Writer, { text }: Message): void {
  writer.set({ heard: false, trouble: null, status: null, overdue: false, told: {} });
  const { address: sessionId } = writer.state;
  request(writer, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** The agent has done with the prompt. */
export function promptOver(writer: Writer, manner: AcpManner, { stopReason, ...rest }: Prompted): void {
  const { interrupting, overdue, current } = writer.state;
  speechOver(writer);
  const used = usageTold(writer, manner.quirks, rest);
  const { unused } = manner.quirks;
  if (overdue) return failed(writer, manner, lateness(writer, manner));
  // Some say that all ended well when they were cancelled.
  if (interrupting || stopReason === "cancelled") return over(writer, manner, "interrupted");
  if (stopReason === "max_turn_requests") return over(writer, manner, "limited");
  if (stopReason === "refusal" || stopReason === "max_tokens") {
    return failed(writer, manner, { category: "bad-request", message: `Its model stopped: ${stopReason}.` });
  }
  if (unused !== undefined && !used && !unused.unless.test(current?.text ?? "")) {
    return failed(writer, manner, { category: unused.category, message: "Its model's answer was never complete." });
  }
  over(writer, manner, "completed");
}

export function promptFailed(writer: Writer, manner: AcpManner, error: RpcFailure): void {
  speechOver(writer);
  if (writer.state.overdue) failed(writer, manner, lateness(writer, manner));
  else if (writer.state.interrupting) over(writer, manner, "interrupted");
  else {
    const { status } = writer.state;
    const category = categoryOf(manner.quirks, status === null ? error : { ...error, data: { status } });
    failed(writer, manner, { category, message: wordsOf(error.message) });
  }
}

/** Stops the turn: what has not been said is left unsaid, what is open is called off. */
export function cancelTurn(writer: Writer): void {
  writer.set({ interrupting: true });
  if (!isPrompting(writer.state)) return;
  notify(writer, "session/cancel", { sessionId: writer.state.address });
  for (const { id } of Object.values(writer.state.asks)) respond(writer, id, { outcome: { outcome: "cancelled" } });
  writer.set({ asks: {} }).effect({ type: "alarm", name: cancelAlarm, after: cancelPatience });
}

/** Whether we have waited for its model long enough. A call that runs, or a question to a person, may take its time. */
export function impatient(writer: Writer, manner: AcpManner): void {
  const { current, phase, calls, asks, heard, trouble, interrupting } = writer.state;
  if (current === null || interrupting) return;
  if (phase !== "ready") {
    failed(writer, manner, lateness(writer, manner));
    writer.effect({ type: "kill" });
    return;
  }
  const busy = Object.keys(calls).length > 0 || Object.keys(asks).length > 0;
  if (busy || (heard && trouble === null)) {
    writer.set({ heard: false }).effect({ type: "alarm", name: patienceAlarm, after: manner.retryDeadline });
    return;
  }
  writer.set({ overdue: true });
  cancelTurn(writer);
}

/** Its model is in trouble, and it is trying again. From here on the time counts, whatever it says meanwhile. */
export function troubled(writer: Writer, manner: AcpManner, status: number | null, words: string): void {
  if (!isPrompting(writer.state) || writer.state.overdue) return;
  const message = `Its model did not answer; it is trying again: ${words}`;
  writer.event({ type: "status.reported", level: "warning", message });
  if (writer.state.trouble === null) {
    writer.effect({ type: "alarm", name: patienceAlarm, after: manner.retryDeadline });
  }
  // What is worth trying again, and is none of the rest, is a failure of the service itself.
  const category = categoryOf({ ...manner.quirks, failure: "provider-failed" }, { code: status ?? 0, message: words });
  writer.set({ trouble: { category, says: message } });
}

interface Failure {
  readonly category: ErrorCategory;
  readonly message: string;
}

function lateness({ state }: Writer, { retryDeadline }: AcpManner): Failure {
  if (state.trouble !== null) return { category: state.trouble.category, message: state.trouble.says };
  const after = state.phase === "ready" ? retryDeadline : enteringPatience;
  return { category: "timed-out", message: `It has not answered for ${after / 1000} s.` };
}

function failed(writer: Writer, manner: AcpManner, failure: Failure): void {
  writer.event({ type: "error.raised", ...failure });
  over(writer, manner, "failed");
}

export function over(writer: Writer, manner: AcpManner, outcome: Outcome): void {
  writer.effect({ type: "disarm", name: patienceAlarm }, { type: "disarm", name: cancelAlarm });
  writer.set({ calls: {}, asks: {}, told: {}, speech: null, trouble: null, overdue: false });
  turnOver(writer, outcome, speaking(writer, manner));
}

export function categoryOf({ phrases = [], failure = "unknown" }: AcpQuirks, error: RpcFailure): ErrorCategory {
  const data = FailureData.safeParse(error.data).data;
  const named = phrases.find(([phrase]) => phrase.test(error.message))?.[1];
  if (named !== undefined) return named;
  if (error.code === -32000) return "not-authenticated";
  const status = data?.status ?? data?.statusCode ?? error.code;
  const told = failureCategory(status >= 400 && status < 600 ? status : null, error.message);
  return told === "unknown" ? failure : told;
}

const Wrapped = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Some hand on the vendor's whole answer as the words of the failure. */
function wordsOf(message: string): string {
  return Wrapped.safeParse(parseJsonLine(message)).data?.error.message ?? message;
}
