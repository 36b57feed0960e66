import { emptyKeyedMap, keyedMap, type Effect, type ErrorCategory, type EventOf } from "@fairlead/contract";
import { noCalls } from "../calls.ts";
import { failureCategory, patternHead } from "../failure-category.ts";
import { parseJsonLine } from "../json-line.ts";
import type { RpcFailure } from "../json-rpc.ts";
import { finishTurn, type UserMessage } from "../conversation-state.ts";
import { Watchdog } from "../watchdog.ts";
import { z } from "zod";
import type { AcpQuirks } from "./acp-quirks.ts";
import { flushPartialMessage } from "./partial-message.ts";
import {
  isPrompting,
  sendAcpNotification,
  sendAcpRequest,
  sendAcpResponse,
  type AcpDialectOptions,
  type AcpWriter,
} from "./acp-state.ts";
import { reportTurnUsage } from "./usage.ts";
import { AcpFailureData, type PromptResult } from "./wire.ts";

/**
 * The watchdog of ACP agents. It has its own alarm names and message because recordings contain them. The dialect sets
 * the alarms itself instead of using `dialectWithWatchdog`: before the session is set up a longer timeout applies, and
 * then the first silent deadline is final, because a slow start cannot be the cause.
 */
export const acpWatchdog = new Watchdog({
  alarm: "patience",
  stopAlarm: "cancel",
  silenceMessage: formatSilence,
});
/** How long the session setup may take while a message waits for it, in milliseconds. */
const sessionSetupTimeoutMs = 60_000;

type Outcome = EventOf<"turn.ended">["outcome"];

/** Returns the function that sends a message. Before the setup is complete, `markReadyIfComplete` sends it later. */
export function createPromptSender(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
): (message: UserMessage) => Effect {
  return (message) => {
    const isReady = writer.state.phase === "ready";
    if (isReady) sendPrompt(writer, message);
    return {
      type: "alarm",
      name: acpWatchdog.alarm,
      after: isReady ? dialectOptions.retryDeadline : sessionSetupTimeoutMs,
    };
  };
}

/**
 * Sends the message. In protocol version 1 the response means that the turn ended. In version 2 it only means that the
 * agent accepted the message, and an update reports the end: a version 2 dialect would call `promptFinished` there.
 */
function sendPrompt(writer: AcpWriter, { text }: UserMessage): void {
  writer.set({ activeSinceAlarm: false, failure: null, failureStatus: null, callStates: emptyKeyedMap });
  const { wireSessionId: sessionId } = writer.state;
  sendAcpRequest(writer, "session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

/** Ends the turn after the response to its prompt. */
export function promptFinished(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
  { stopReason, ...rest }: PromptResult,
): void {
  const { interrupting, failure, current } = writer.state;
  flushPartialMessage(writer);
  const hasUsage = reportTurnUsage(writer, dialectOptions.quirks, rest);
  const { noUsageFailure } = dialectOptions.quirks;
  if (failure?.isFinal) return failTurn(writer, dialectOptions, failure);
  // Some agents report success for a canceled prompt.
  if (interrupting || stopReason === "cancelled") return endAcpTurn(writer, dialectOptions, "interrupted");
  if (stopReason === "max_turn_requests") return endAcpTurn(writer, dialectOptions, "limited");
  if (stopReason === "refusal" || stopReason === "max_tokens") {
    return failTurn(writer, dialectOptions, { category: "bad-request", message: `Its model stopped: ${stopReason}.` });
  }
  if (noUsageFailure !== undefined && !hasUsage && !noUsageFailure.unless.test(patternHead(current?.text ?? ""))) {
    return failTurn(writer, dialectOptions, {
      category: noUsageFailure.category,
      message: "Its model's answer was never complete.",
    });
  }
  endAcpTurn(writer, dialectOptions, "completed");
}

/** Ends the turn after an error response to its prompt. */
export function promptFailed(writer: AcpWriter, dialectOptions: AcpDialectOptions, error: RpcFailure): void {
  flushPartialMessage(writer);
  const { failure, failureStatus, interrupting } = writer.state;
  if (failure?.isFinal) failTurn(writer, dialectOptions, failure);
  else if (interrupting) endAcpTurn(writer, dialectOptions, "interrupted");
  else {
    const category = categorizeAcpFailure(
      dialectOptions.quirks,
      failureStatus === null ? error : { ...error, data: { status: failureStatus } },
    );
    failTurn(writer, dialectOptions, { category, message: unwrapErrorMessage(error.message) });
  }
}

/** Asks the agent to cancel the prompt, and cancels its pending permission requests, as the protocol requires. */
export function cancelTurn(writer: AcpWriter): void {
  writer.set({ interrupting: true });
  if (!isPrompting(writer.state)) return;
  sendAcpNotification(writer, "session/cancel", { sessionId: writer.state.wireSessionId });
  for (const { id } of keyedMap.values(writer.state.pendingDecisions))
    sendAcpResponse(writer, id, { outcome: { outcome: "cancelled" } });
  writer.set({ pendingDecisions: emptyKeyedMap, decisionsByRequest: emptyKeyedMap });
  acpWatchdog.setStopAlarm(writer);
}

/** Handles the watchdog's alarm: cancels a turn whose model is silent or fails for too long. */
export function onWatchdogAlarm(writer: AcpWriter, dialectOptions: AcpDialectOptions): void {
  const { current, phase, interrupting } = writer.state;
  if (phase === "ready") {
    if (acpWatchdog.checkExpired(writer, dialectOptions.retryDeadline)) cancelTurn(writer);
  } else if (current !== null && !interrupting) {
    const message = formatSilence(sessionSetupTimeoutMs);
    failTurn(writer, dialectOptions, { category: "timed-out", message });
    writer.effect({ type: "kill" });
  }
}

/** Reports that the model failed and the agent retries. The deadline counts from the first failure, despite output. */
export function reportModelRetry(
  writer: AcpWriter,
  dialectOptions: AcpDialectOptions,
  status: number | null,
  reason: string,
): void {
  if (!isPrompting(writer.state) || writer.state.failure?.isFinal) return;
  const message = `Its model did not answer; it is trying again: ${reason}`;
  writer.warn(message);
  // A failure that the agent retries and that has no other category is a failure of the service.
  const category = categorizeAcpFailure(
    { ...dialectOptions.quirks, defaultCategory: "provider-failed" },
    { code: status ?? 0, message: reason },
  );
  acpWatchdog.modelRetrying(writer, dialectOptions.retryDeadline, { category, message });
}

interface TurnFailure {
  readonly category: ErrorCategory;
  readonly message: string;
}

function formatSilence(time: number): string {
  return `It has not answered for ${time / 1000} s.`;
}

function failTurn(writer: AcpWriter, dialectOptions: AcpDialectOptions, failure: TurnFailure): void {
  writer.raise(failure);
  endAcpTurn(writer, dialectOptions, "failed");
}

/** Ends the turn and discards the state that belongs to it. */
export function endAcpTurn(writer: AcpWriter, dialectOptions: AcpDialectOptions, outcome: Outcome): void {
  writer.effect({ type: "disarm", name: acpWatchdog.alarm }, { type: "disarm", name: acpWatchdog.stopAlarm });
  writer.set({
    calls: noCalls,
    pendingDecisions: emptyKeyedMap,
    decisionsByRequest: emptyKeyedMap,
    callStates: emptyKeyedMap,
    partialMessage: null,
    failure: null,
  });
  finishTurn(writer, outcome, createPromptSender(writer, dialectOptions));
}

/** Derives the category of an error response: by the agent's phrases, then the code or status, then the message. */
export function categorizeAcpFailure(
  { phrases = [], defaultCategory = "unknown" }: AcpQuirks,
  error: RpcFailure,
): ErrorCategory {
  const data = AcpFailureData.safeParse(error.data).data;
  const head = patternHead(error.message);
  const matched = phrases.find(([phrase]) => phrase.test(head))?.[1];
  if (matched !== undefined) return matched;
  if (error.code === -32000) return "not-authenticated";
  const status = data?.status ?? data?.statusCode ?? error.code;
  const category = failureCategory(status >= 400 && status < 600 ? status : null, error.message);
  return category === "unknown" ? defaultCategory : category;
}

const WrappedError = z.looseObject({ error: z.looseObject({ message: z.string() }) });

/** Extracts the message, for agents that return the vendor's whole response as the error message. */
function unwrapErrorMessage(message: string): string {
  return WrappedError.safeParse(parseJsonLine(message)).data?.error.message ?? message;
}
