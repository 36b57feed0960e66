import type { AgentAnswer } from "@fairlead/contract";
import { addPendingDecision, callEnded, callStarted, cancelRepeatedRequest, jsonLine } from "@fairlead/kit";
import { takePendingDecision, type RpcMessage, type TransitionWriter } from "@fairlead/kit";
import type { CodexState } from "./dialect.ts";
import { useCodexTool } from "./host-tools.ts";
import { recordCodexCall } from "./items.ts";
import { listCodexOptions } from "./options.ts";
import { findRequestedCall, toDecisionPrompt } from "./tools.ts";
import {
  CodexServerRequest,
  isUserDecision,
  methodNotFound,
  repeatedRequest,
  toCodexReply,
  type CodexPendingRequest,
} from "./wire.ts";

type Writer = TransitionWriter<CodexState>;
const denial = { type: "deny", message: "", interrupt: false } as const;

/** Answers an open decision. `steer` sends a text into the turn. */
export function answerCodexDecision(
  writer: Writer,
  { decision, answer }: AgentAnswer,
  steer: (writer: Writer, text: string, context: string) => void,
): void {
  const pending = takePendingDecision<CodexPendingRequest, CodexState>(writer, decision);
  if (pending === undefined) return;
  const { call, id, questions } = pending;
  const result = toCodexReply(pending, answer);
  if (answer.type === "deny") {
    callEnded(writer, call, { output: answer.message, reason: "denied" });
    // A denial has no field for a message. Steering before the denial delivers both to the model together.
    if (answer.interrupt) writer.set({ interrupting: true });
    else if (answer.message !== "") steer(writer, answer.message, "");
  } else callStarted(writer, call);
  writer.effect({ type: "write", text: jsonLine({ id, result }) });
  // Codex does not report the end of a question.
  if (questions !== undefined) callEnded(writer, call, { output: JSON.stringify(result), reason: undefined });
}

/** Handles a request of Codex. Returns false if it is not supported. */
export function handleCodexRequest(
  writer: Writer,
  { id, method, params }: RpcMessage & { kind: "request" },
  servers: readonly string[],
): boolean {
  if (useCodexTool(writer, id, method, params)) return true;
  const { current, turnId } = writer.state;
  const serverRequest = CodexServerRequest.safeParse(params).data;
  if (current === null || serverRequest === undefined || !isUserDecision(method, serverRequest)) {
    writer.effect({ type: "write", text: jsonLine({ id, error: methodNotFound }) });
    return false;
  }
  if (cancelRepeatedRequest<CodexPendingRequest, CodexState>(writer, id)) {
    writer.effect({ type: "write", text: jsonLine({ id, error: repeatedRequest }) });
    return false;
  }
  const { questions } = serverRequest;
  if (questions && serverRequest.itemId !== undefined)
    recordCodexCall(writer, serverRequest.itemId, { name: "request_user_input", input: { questions } });
  const { call, name: tool, input } = findRequestedCall(writer.state.calls, serverRequest, servers);
  if (call === "" && servers.includes(serverRequest.serverName ?? "")) {
    // A rule about one of the server's tools could miss it.
    writer.warn(`Codex asked about a tool of ${serverRequest.serverName} without telling which. The call was denied.`);
    writer.effect({ type: "write", text: jsonLine({ id, result: toCodexReply({ id, method, call }, denial) }) });
    return true;
  }
  const decision = `${turnId}/${id}`;
  const { options, decisions } = listCodexOptions(serverRequest);
  const open = { id, method, call, ...(questions && { questions }), ...(options.length > 0 && { decisions }) };
  addPendingDecision<CodexPendingRequest, CodexState>(writer, decision, open);
  writer.event({
    type: "decision.requested",
    decision,
    ...(call !== "" && { call }),
    tool,
    input,
    ...toDecisionPrompt({ name: tool, input }, serverRequest),
    ...(options.length > 0 && { options }),
  });
  return true;
}
