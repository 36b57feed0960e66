import { keyedMap, type Answer, type DecisionOption, type ToolAction } from "@fairlead/contract";
import type { z } from "zod";
import { callEnded, callStarted } from "../calls.ts";
import type { RpcId } from "../json-rpc.ts";
import { acpWatchdog, cancelTurn } from "./prompt.ts";
import { flushPartialMessage } from "./partial-message.ts";
import { isPrompting, sendAcpResponse, type AcpDialectOptions, type AcpWriter } from "./acp-state.ts";
import { addPendingDecision, cancelRepeatedRequest, takePendingDecision } from "../rpc-requests.ts";
import { actionOf, announceCall, closeCallState, rawInputOf, recordCallUpdate } from "./tool-calls.ts";
import { PermissionRequestParams } from "./wire.ts";

/** Handles a permission request. Returns false if its parameters are invalid. */
export function handlePermissionRequest(
  writer: AcpWriter,
  { quirks }: AcpDialectOptions,
  id: RpcId,
  params: unknown,
): boolean {
  const request = PermissionRequestParams.safeParse(params).data;
  if (cancelRepeatedRequest(writer, id)) {
    sendAcpResponse(writer, id, { outcome: { outcome: "cancelled" } });
    return false;
  }
  const callState = request && isPrompting(writer.state) ? recordCallUpdate(writer, quirks, request.toolCall) : null;
  if (request === undefined || callState === null || writer.state.interrupting) {
    sendAcpResponse(writer, id, { outcome: { outcome: "cancelled" } });
    return request !== undefined;
  }
  const call = request.toolCall.toolCallId;
  const decision = `permission-${writer.state.decisionCount + 1}`;
  // Options are chosen by kind, because each agent defines its own ids. Of two of a kind the first wins.
  const options = Object.fromEntries(request.options.toReversed().map(({ kind, optionId }) => [kind, optionId]));
  flushPartialMessage(writer);
  // The request proves that the model answered. The deadline must not pass while a person decides.
  acpWatchdog.modelAnswered(writer);
  announceCall(writer, quirks, callState, request.toolCall);
  writer.set({ decisionCount: writer.state.decisionCount + 1 });
  addPendingDecision(writer, decision, { id, call, options });
  const { name: tool } = callState;
  // The request's own input is what an approval allows, also if the agent announced another one.
  const input = rawInputOf(request.toolCall) ?? callState.input;
  const title = callState.title === "" || callState.title === tool ? tool : `${tool}: ${callState.title}`;
  const announced = actionOf(quirks, callState, { ...request.toolCall, rawInput: undefined });
  const action = completeAction(actionOf(quirks, callState, request.toolCall), announced);
  const own = listOwnOptions(request.options);
  writer.event({
    type: "decision.requested",
    decision,
    kind: "approval",
    title,
    call,
    tool,
    input,
    action,
    ...(own.length > 0 && { options: own }),
  });
  return true;
}

/** Lists the agent's ways to allow besides the first one that counts once, which is the plain approval. */
function listOwnOptions(options: z.infer<typeof PermissionRequestParams>["options"]): DecisionOption[] {
  const plain = options.find(({ kind }) => kind === "allow_once");
  return options.flatMap((option) => {
    const { optionId: id, kind, name: label = id } = option;
    if (option === plain || !kind.startsWith("allow_")) return [];
    return [{ id, label, scope: kind === "allow_once" ? "once" : "always" }];
  });
}

/** A request may show less than its announced call: no folder, or another command. The call runs as a whole. */
function completeAction(requested: ToolAction, announced: ToolAction): ToolAction {
  const { command, folder } = announced;
  const isOther = command !== undefined && command !== requested.command;
  return {
    ...requested,
    ...(requested.folder === undefined && folder !== undefined && { folder }),
    ...((isOther || announced.incomplete === true) && { incomplete: true }),
  };
}

/** Answers a permission request of the agent. */
export function answerPermission(writer: AcpWriter, decision: string, answer: Answer): void {
  const pending = keyedMap.get(writer.state.pendingDecisions, decision);
  if (pending === undefined) return;
  const { id, call, options } = pending;
  const { allow_once: allowOnce } = options;
  const isEdited = answer.type === "allow" && answer.input !== undefined;
  // A permanent permission would let the agent make later calls without a request. Only a person may choose it.
  const chosen = answer.type === "allow" ? (answer.option ?? allowOnce) : undefined;
  const isOnlyPermanent = answer.type === "allow" && chosen === undefined;
  if (isEdited) {
    writer.warn("This agent does not support an edited input. The call was denied instead.");
  } else if (isOnlyPermanent) {
    writer.warn("This agent offers only a permanent permission for the call. The call was denied instead.");
  } else if (answer.type === "allow") {
    sendPermissionAnswer(writer, decision, id, chosen);
    callStarted(writer, call);
    return;
  }
  // Some agents send no further update for a denied call.
  callEnded(writer, call, { output: "", reason: "denied" });
  closeCallState(writer, call);
  if (answer.type === "deny" && answer.interrupt) cancelTurn(writer);
  else sendPermissionAnswer(writer, decision, id, options["reject_once"] ?? options["reject_always"]);
}

function sendPermissionAnswer(writer: AcpWriter, decision: string, id: RpcId, optionId: string | undefined): void {
  takePendingDecision(writer, decision);
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  sendAcpResponse(writer, id, { outcome });
}
