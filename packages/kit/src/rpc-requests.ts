import { omitKey, ownValue, type Effect } from "@fairlead/contract";
import { rpc, type RpcState, type RpcMessage, type RpcId } from "./json-rpc.ts";
import type { TransitionWriter } from "./transition-writer.ts";

interface HasRpc {
  readonly rpc: RpcState;
}

/** Creates the effect that sends a request, and records the request. The response returns the tag `about`. */
export function createRpcRequest<State extends HasRpc>(
  writer: TransitionWriter<State>,
  method: string,
  params: object,
  about = "",
): Effect {
  const outgoing = rpc.request(writer.state.rpc, method, params, { about });
  writer.state = { ...writer.state, rpc: outgoing.rpc };
  return { type: "write", text: outgoing.text };
}

/** Parses a line of the agent. A response includes the method and tag of its request and removes it from the state. */
export function receiveRpcMessage<State extends HasRpc>(
  writer: TransitionWriter<State>,
  line: string,
): RpcMessage | null {
  const { rpc: next, message } = rpc.receive(writer.state.rpc, line);
  writer.state = { ...writer.state, rpc: next };
  return message;
}

interface DecisionRequest {
  readonly id: RpcId;
}

interface HasPendingDecisions<Open extends DecisionRequest> {
  /** Requests of the agent that wait for a decision, by decision id. */
  readonly pendingDecisions: Readonly<Record<string, Open>>;
}

/** Removes a pending decision and returns its request; undefined if the decision is not pending. */
export function takePendingDecision<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  decision: string,
): Open | undefined {
  const pending = ownValue(writer.state.pendingDecisions, decision);
  if (pending !== undefined)
    writer.state = { ...writer.state, pendingDecisions: omitKey(writer.state.pendingDecisions, decision) };
  return pending;
}

/** Resolves the decision of a request that the agent withdrew as canceled. Does nothing if it was answered already. */
export function withdrawDecision<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  id: RpcId | undefined,
): void {
  const decision = Object.entries(writer.state.pendingDecisions).find(([, pending]) => pending.id === id)?.[0];
  if (decision === undefined) return;
  takePendingDecision(writer, decision);
  writer.event({ type: "decision.resolved", decision, outcome: "canceled", by: { kind: "agent" } });
}

/**
 * Resolves the decision of an open request as canceled, because the agent sent another request with its id. An answer would
 * allow both, and only the first was shown. Returns false if no request with the id is open. Otherwise the dialect refuses
 * the id, which refuses both requests.
 */
export function cancelRepeatedRequest<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  id: RpcId,
): boolean {
  const decision = Object.entries(writer.state.pendingDecisions).find(([, pending]) => pending.id === id)?.[0];
  if (decision === undefined) return false;
  takePendingDecision(writer, decision);
  writer.warn("The agent sent a second request with the id of an open one. Both were refused.");
  writer.event({ type: "decision.resolved", decision, outcome: "canceled", by: { kind: "runtime" } });
  return true;
}
