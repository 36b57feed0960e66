import type { Answer } from "@fairlead/contract";
import { callEnded, callStarted } from "../calls.ts";
import type { RpcId } from "../json-rpc.ts";
import { cancelTurn } from "./prompt.ts";
import { speechOver } from "./speech.ts";
import { isPrompting, respond, type AcpManner, type Writer } from "./state.ts";
import { callForgotten, callKnown, callTold } from "./tool-calls.ts";
import { PermissionAsked } from "./wire.ts";

/** The agent asks before it acts. False when it cannot be understood. */
export function permissionAsked(writer: Writer, { quirks }: AcpManner, id: RpcId, params: unknown): boolean {
  const asked = PermissionAsked.safeParse(params).data;
  const told = asked && isPrompting(writer.state) ? callTold(writer, quirks, asked.toolCall) : null;
  if (asked === undefined || told === null || writer.state.interrupting) {
    respond(writer, id, { outcome: { outcome: "cancelled" } });
    return asked !== undefined;
  }
  const call = asked.toolCall.toolCallId;
  const decision = `permission-${writer.state.asked + 1}`;
  // By kind: the ids are the agent's own affair. Of two of a kind the first is the plainer.
  const options = Object.fromEntries(asked.options.toReversed().map(({ kind, optionId }) => [kind, optionId]));
  speechOver(writer);
  callKnown(writer, call, told);
  writer.set({ asked: writer.state.asked + 1, asks: { ...writer.state.asks, [decision]: { id, call, options } } });
  const { name: tool, input } = told;
  const title = told.title === "" || told.title === tool ? tool : `${tool}: ${told.title}`;
  writer.event({ type: "decision.requested", decision, kind: "approval", title, call, tool, input });
  return true;
}

export function permissionAnswered(writer: Writer, decision: string, given: Answer): void {
  const asked = writer.state.asks[decision];
  if (asked === undefined) return;
  const { id, call, options } = asked;
  const edited = given.type === "allow" && given.input !== undefined;
  if (edited) {
    const message = "This agent does not take an edited input: the call was refused instead.";
    writer.event({ type: "status.reported", level: "warning", message });
  }
  if (given.type === "allow" && !edited) {
    answer(writer, decision, id, options["allow_once"] ?? options["allow_always"]);
    callStarted(writer, call);
    return;
  }
  // Some agents say no more about a call that was refused.
  callEnded(writer, call, { output: "", reason: "denied" });
  callForgotten(writer, call);
  if (given.type === "deny" && given.interrupt) cancelTurn(writer);
  else answer(writer, decision, id, options["reject_once"] ?? options["reject_always"]);
}

function answer(writer: Writer, decision: string, id: RpcId, optionId: string | undefined): void {
  const { [decision]: _, ...asks } = writer.state.asks;
  writer.set({ asks });
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  respond(writer, id, { outcome });
}
