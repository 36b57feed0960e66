import { keyedMap, type Effect, type KeyedMap } from "@fairlead/contract";
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
  /** Requests of the agent that wait for a decision, by decision id. A plain object in states of older versions. */
  readonly pendingDecisions: KeyedMap<Open> | Readonly<Record<string, Open>>;
  /** The decisions by the ids of their requests, so that a repeated id is found at once. Missing in older states. */
  readonly decisionsByRequest?: KeyedMap<string>;
}

/** Records a request of the agent that waits for a decision. */
export function addPendingDecision<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  decision: string,
  open: Open,
): void {
  const { pendingDecisions } = writer.state;
  writer.state = {
    ...writer.state,
    pendingDecisions: keyedMap.set(pendingDecisions, decision, open),
    decisionsByRequest: keyedMap.set(byRequest(writer.state), requestKey(open.id), decision),
  };
}

/** Returns the decision of an open request. */
function findDecision(state: HasPendingDecisions<DecisionRequest>, id: RpcId | undefined): string | undefined {
  if (id === undefined) return undefined;
  const decision = keyedMap.get(byRequest(state), requestKey(id));
  // The state of a turn may be discarded at once, and the other map then has decisions that are not open.
  return decision !== undefined && keyedMap.get(state.pendingDecisions, decision)?.id === id ? decision : undefined;
}

function byRequest({ pendingDecisions, decisionsByRequest }: HasPendingDecisions<DecisionRequest>): KeyedMap<string> {
  if (decisionsByRequest !== undefined) return decisionsByRequest;
  const entries = keyedMap.entries(pendingDecisions).map(([decision, { id }]) => [requestKey(id), decision]);
  return keyedMap.from(Object.fromEntries(entries) as Record<string, string>);
}

/** A number and a text are different ids. */
function requestKey(id: RpcId): string {
  return `${typeof id} ${id}`;
}

/** Removes a pending decision and returns its request; undefined if the decision is not pending. */
export function takePendingDecision<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  decision: string,
): Open | undefined {
  const pending = keyedMap.get(writer.state.pendingDecisions, decision);
  if (pending !== undefined)
    writer.state = {
      ...writer.state,
      pendingDecisions: keyedMap.remove(writer.state.pendingDecisions, decision),
      decisionsByRequest: keyedMap.remove(byRequest(writer.state), requestKey(pending.id)),
    };
  return pending;
}

/** Resolves the decision of a request that the agent withdrew as canceled. Does nothing if it was answered already. */
export function withdrawDecision<Open extends DecisionRequest, State extends HasPendingDecisions<Open>>(
  writer: TransitionWriter<State & HasPendingDecisions<Open>>,
  id: RpcId | undefined,
): void {
  const decision = findDecision(writer.state, id);
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
  const decision = findDecision(writer.state, id);
  if (decision === undefined) return false;
  takePendingDecision(writer, decision);
  writer.warn("The agent sent a second request with the id of an open one. Both were refused.");
  writer.event({ type: "decision.resolved", decision, outcome: "canceled", by: { kind: "runtime" } });
  return true;
}
